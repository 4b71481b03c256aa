/**
 * Operations: what the service does other than reading and writing single objects (renew, import, validate
 * …). Each has one schema for its input and one for its output. REST, GraphQL, pages, commands and jobs call
 * the same function.
 */

export { type BodyFinding, fieldErrors, parseBody, refusalOf } from "./body_findings.ts";
export {
  type Elements,
  elementsOf,
  NO_INPUT,
  objectBody,
  objectId,
  type ParsedElement,
  shown,
} from "./body_schemas.ts";
export { type DomainOperation, ELEMENTS, operation } from "./operation.ts";
