/**
 * Reads the certificates that servers present. `probe_by_sockets.ts` implements {@link Probe} for entry
 * points with sockets. The edge has none, so agents report instead.
 */

export { ByteReader } from "./bytes.ts";
export {
  type Presented,
  type Probe,
  PROBE_PROTOCOLS,
  type ProbeAnswer,
  ProbeError,
  type ProbeProtocol,
  type ProbeTarget,
} from "./types.ts";
