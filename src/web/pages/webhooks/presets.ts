/** Starting points for a new webhook. */

import { certificates } from "../../../domain/certificates/mod.ts";
import { WEBHOOK_OBJECT_TYPES } from "../../../domain/webhooks/mod.ts";
import type { FormPreset } from "../../kit/mod.ts";

const CHANGES = ["created", "updated", "deleted"];
const CERTIFICATES = [certificates.objectType];
/** Chats accept this form (Slack, Mattermost). */
const CHAT_TEMPLATE = '{"text": "{{data.common_name}} expires in {{data.days_remaining}} days"}';

export const WEBHOOK_PRESETS: readonly FormPreset[] = [
  {
    title: "Every change of certificates",
    about: "When a certificate is added, changed or deleted.",
    values: { name: "Changes of certificates", events: CHANGES, object_types: CERTIFICATES },
  },
  {
    title: "Certificates that expire soon",
    about: "At each threshold before the expiry of a certificate.",
    values: { name: "Expiring certificates", events: "certificate_expiring", object_types: CERTIFICATES },
  },
  {
    title: "Expiries in a chat",
    about: "The same, as a text for Slack or Mattermost.",
    values: {
      name: "Expiries in the chat",
      events: "certificate_expiring",
      object_types: CERTIFICATES,
      body_template: CHAT_TEMPLATE,
    },
  },
  {
    title: "Everything, for an audit log",
    about: "Every change of every object, also of users and permissions.",
    values: { name: "Audit log", events: CHANGES, object_types: WEBHOOK_OBJECT_TYPES },
  },
];
