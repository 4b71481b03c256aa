/** What pages are made of. */

export { Badge, YesNo } from "./badge.tsx";
export { Copyable } from "./copyable.tsx";
export { Empty } from "./empty.tsx";
export { Fact, Facts } from "./facts.tsx";
export {
  Checkbox,
  ErrorSummary,
  FieldError,
  type FieldProps,
  FileField,
  Form,
  Select,
  type SelectOption,
  TextArea,
  TextField,
  withoutKey,
} from "./form.tsx";
export type { Content, Html } from "./html.ts";
export { Icon, type IconName } from "./icon.tsx";
export { Pager } from "./pager.tsx";
export { shortened } from "./shortened.ts";
export { type Column, Table } from "./table.tsx";
export { Tile } from "./tile.tsx";
export { Day, Moment } from "./moment.tsx";
export { withQuery } from "./with_query.ts";
