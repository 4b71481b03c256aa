/** Numbers by which the service is watched. */

export { readServiceNumbers, type ServiceNumbers } from "./read_service_numbers.ts";
