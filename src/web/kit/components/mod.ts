/** Components of pages. */

export { Badge, type Tone, toneOf, YesNo } from "./badge.tsx";
export { CheckboxList, type ShownFor } from "./checkbox_list.tsx";
export { Choice } from "./choice.tsx";
export { Copyable } from "./copyable.tsx";
export { EmptyState } from "./empty_state.tsx";
export { ErrorSummary } from "./error_summary.tsx";
export { Property, PropertyList } from "./property_list.tsx";
export {
  Checkbox,
  ColorField,
  ComboboxScript,
  FieldError,
  type FieldProps,
  FileField,
  Form,
  Select,
  type SelectOption,
  TextArea,
  TextField,
  withoutPrivateKey,
} from "./form.tsx";
export type { Content, Html } from "./html.ts";
export { isolate } from "./isolate.ts";
export { Icon, type IconName } from "./icon.tsx";
export { Joined } from "./joined.tsx";
export { Markdown } from "./markdown.tsx";
export { BreakableName, Name, shortHost, spokenName } from "./name.tsx";
export { Pager } from "./pager.tsx";
export { truncate } from "./truncate.ts";
export { type Column, type Layout, type RowGroups, Table } from "./table.tsx";
export { CountLink, NumbersTile, Tile } from "./tile.tsx";
export { Day, Time } from "./time.tsx";
export { withQuery } from "./with_query.ts";
export { Expiry, ExpiryBrief } from "./expiry.tsx";
