/** What object permissions may name: the types of objects, and the actions on each. */

/** Actions on every type. */
export const BASE_ACTIONS = ["view", "add", "change", "delete"] as const;

/** Every type of object, with the actions that only it has. */
const FURTHER_ACTIONS = {
  "certmgr.certificate": ["import", "renew", "bulk_operations"],
  "certmgr.certificateauthority": [],
  "certmgr.certificateassignment": [],
  "certmgr.certificatesigningrequest": [],
  "certmgr.compliancepolicy": ["manage_compliance"],
  "certmgr.compliancecheck": [],
  "certmgr.calendarfeed": [],
  "tenancy.tenant": [],
  "extras.tag": [],
  "extras.webhook": [],
  "extras.webhookdelivery": [],
  "dcim.device": [],
  "virtualization.virtualmachine": [],
  "ipam.service": [],
  "users.user": [],
  "users.group": [],
  "users.token": [],
  "users.objectpermission": [],
  "core.objectchange": [],
} as const satisfies Record<string, readonly string[]>;

/** A type of object that permissions may name. */
export type ObjectType = keyof typeof FURTHER_ACTIONS;

/** Every {@link ObjectType}. */
export const OBJECT_TYPES = Object.keys(FURTHER_ACTIONS) as readonly ObjectType[];

/** Whether permissions may name it. */
export function isObjectType(text: string): text is ObjectType {
  return Object.hasOwn(FURTHER_ACTIONS, text);
}

/** The actions on objects of a type. */
export function actionsOn(objectType: ObjectType): readonly string[] {
  return [...BASE_ACTIONS, ...FURTHER_ACTIONS[objectType]];
}

/**
 * The action that a text means on one of the types: `import`, its codename `import_certificate`, or that with its
 * app, `certmgr.import_certificate`. Undefined when it means none.
 */
export function canonicalAction(text: string, objectTypes: readonly ObjectType[]): string | undefined {
  for (const objectType of objectTypes) {
    const [app, model] = objectType.split(".");
    const codename = text.startsWith(`${app}.`) ? text.slice(`${app}.`.length) : text;
    const found = actionsOn(objectType).find((action) =>
      codename === action || codename === `${action}_${model}`
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
