/** Virtual machines. */

export { virtualMachines } from "./resource.ts";
