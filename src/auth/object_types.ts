/** The object types and actions of object permissions. */

const BASE_ACTIONS = ["view", "add", "change", "delete"] as const;

/** All object types with their additional actions. */
const FURTHER_ACTIONS = {
  "certmgr.certificate": ["import", "renew", "acknowledge", "bulk_operations"],
  "certmgr.certificateauthority": [],
  "certmgr.certificateassignment": [],
  "certmgr.certificatesigningrequest": [],
  "certmgr.compliancepolicy": ["manage_compliance"],
  "certmgr.compliancecheck": [],
  "certmgr.incident": ["manage_incidents"],
  "certmgr.revocationcheck": [],
  "certmgr.revocationlist": [],
  "certmgr.calendarfeed": [],
  "certmgr.savedview": [],
  "certmgr.endpoint": ["probe", "push_observations"],
  "certmgr.observation": [],
  "certmgr.scanjob": [],
  "certmgr.notificationchannel": [],
  "certmgr.subscription": [],
  "certmgr.notificationdelivery": [],
  "tenancy.tenant": [],
  "tenancy.contact": [],
  "tenancy.contactgroup": [],
  "tenancy.contactrole": [],
  "tenancy.contactassignment": [],
  "tenancy.tenantgroup": [],
  "extras.tag": [],
  "extras.customfield": [],
  "extras.customfieldchoiceset": [],
  "extras.webhook": [],
  "extras.webhookdelivery": [],
  "dcim.device": [],
  "dcim.site": [],
  "dcim.location": [],
  "dcim.region": [],
  "dcim.sitegroup": [],
  "dcim.manufacturer": [],
  "dcim.devicetype": [],
  "dcim.devicerole": [],
  "dcim.platform": [],
  "virtualization.virtualmachine": [],
  "virtualization.cluster": [],
  "virtualization.clustertype": [],
  "ipam.service": [],
  "users.user": [],
  "users.group": [],
  "users.token": [],
  "users.objectpermission": [],
  "core.objectchange": [],
  "core.auditevent": [],
} as const satisfies Record<string, readonly string[]>;

export type ObjectType = keyof typeof FURTHER_ACTIONS;

export const OBJECT_TYPES = Object.keys(FURTHER_ACTIONS) as readonly ObjectType[];

export function isObjectType(text: string): text is ObjectType {
  return Object.hasOwn(FURTHER_ACTIONS, text);
}

export function actionsOn(objectType: ObjectType): readonly string[] {
  return [...BASE_ACTIONS, ...FURTHER_ACTIONS[objectType]];
}

/**
 * Returns the action for a text that is an action (`import`), a codename of one of the types
 * (`import_certificate`), or a codename with its app label (`certmgr.import_certificate`); undefined for any
 * other text.
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
