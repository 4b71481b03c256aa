/** Notices of certificates that expire soon. */

export { announceExpiries, type NoticesRun } from "./announce.ts";
export { type Judgement, judgeNotices, type Notified } from "./judge.ts";
