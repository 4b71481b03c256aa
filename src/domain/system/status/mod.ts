/** The state of the service as a whole. */

export { NETBOX_VERSION, serviceStatus, VERSION } from "./service_status.ts";
