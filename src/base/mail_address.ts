/** E-mail addresses of recipients. */

import { readHostName } from "./host_name.ts";

/** Local part and domain of RFC 5321 §4.1.2, without quoted local parts and address literals. */
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,255}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Returns whether a text is an e-mail address to which a message can be sent. */
export function isMailAddress(text: string): boolean {
  const address = asciiMailAddress(text);
  return address.length <= 254 && ADDRESS.test(address) && !/(^|[.])[.]|[.]@/.test(address);
}

/** Returns an address with its domain in ASCII, as mail servers take it: `ann@xn--bcher-kva.example`. */
export function asciiMailAddress(text: string): string {
  const at = text.lastIndexOf("@") + 1;
  const domain = text.slice(at);
  return /^[\0-\x7f]*$/.test(domain) ? text : text.slice(0, at) + (readHostName(domain) ?? domain);
}
