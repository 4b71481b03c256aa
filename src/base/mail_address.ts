/** E-mail addresses of recipients. */

/** Local part and domain of RFC 5321 §4.1.2, without quoted local parts and address literals. */
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,255}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Returns whether a text is an e-mail address to which a message can be sent. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text) && !/(^|[.])[.]|[.]@/.test(text);
}
