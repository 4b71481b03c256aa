/** Components of pages. */

export { CheckboxList } from "./checkbox_list.tsx";
export { ErrorSummary } from "./error_summary.tsx";
export {
  Checkbox,
  ComboboxScript,
  controlId,
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
export { Icon, type IconName } from "./icon.tsx";
export { BreakableName, Name } from "./name.tsx";
export { type Column, type Layout, Pager, type RowGroups, Table } from "./table.tsx";
export { isolate, truncate, withQuery } from "./texts.ts";
export {
  Badge,
  CountLink,
  Day,
  Expiry,
  NumbersTile,
  Tile,
  Time,
  type Tone,
  toneOf,
  YesNo,
} from "./values.tsx";
export {
  Choice,
  Copyable,
  EmptyState,
  Joined,
  ListSection,
  Markdown,
  Property,
  PropertyList,
  Section,
  Warning,
} from "./blocks.tsx";
