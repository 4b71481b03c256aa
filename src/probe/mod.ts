/**
 * Asks servers for the certificates that they present. `probe_by_sockets.ts` implements {@link Probe} for entry points
 * with sockets; at the edge there are none, and agents report instead.
 */

export {
  type Presented,
  type Probe,
  type ProbeAnswer,
  ProbeError,
  type ProbeOptions,
  type ProbeProtocol,
  type ProbeTarget,
} from "./types.ts";
