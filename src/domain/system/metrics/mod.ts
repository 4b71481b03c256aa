/** Numbers for monitoring. */

export { readServiceNumbers, type ServiceNumbers } from "./read_service_numbers.ts";
