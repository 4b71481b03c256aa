/** Status of the service. */

export { NETBOX_VERSION, ServiceStatus, serviceStatus } from "./service_status.ts";
