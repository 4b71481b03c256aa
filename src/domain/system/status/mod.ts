/** Status of the service. */

export { NETBOX_VERSION, ServiceStatus, serviceStatus, VERSION } from "./service_status.ts";
