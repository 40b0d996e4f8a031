// The table of what the audit log names: one row for each route that changes who may do what, what the agent is, or what is kept.
// Messages and other daily work are not in it. Read by note-act.ts.

export interface AuditedRoute {
  /** Noun and verb. */
  act: string;
  /** The change needs the scope `admin`, or the operator. */
  isAdmin?: boolean;
  /** Where the target's id is, if the path does not hold it: a field of the answer, or the names of the body's fields. */
  answer?: string;
  namesFields?: true;
}

/** By operation id. */
export const AUDITED_ROUTES: Record<string, AuditedRoute> = {
  createProfile: { act: "profile_create", isAdmin: true, answer: "profile" },
  putQuota: { act: "quota_put", isAdmin: true },
  createKey: { act: "key_create", isAdmin: true, answer: "id" },
  changeKey: { act: "key_change", isAdmin: true },
  rotateKey: { act: "key_rotate", isAdmin: true },
  revokeKey: { act: "key_revoke", isAdmin: true },
  signIn: { act: "sign_in", answer: "id" },
  signOut: { act: "sign_out" },
  endSignIn: { act: "sign_in_end", isAdmin: true },
  changeSettings: { act: "settings_change", namesFields: true },
  putToolSettings: { act: "tools_put", isAdmin: true },
  putSkillSettings: { act: "skill_settings_put", isAdmin: true },
  putApprovalMode: { act: "approval_mode_put", isAdmin: true },
  revokeProfileAllowance: { act: "allowance_revoke" },
  putPolicy: { act: "policy_put", isAdmin: true },
  deletePolicy: { act: "policy_delete", isAdmin: true },
  putPersonality: { act: "personality_put" },
  deletePersonality: { act: "personality_delete" },
  createHook: { act: "hook_create", isAdmin: true, answer: "id" },
  deleteHook: { act: "hook_delete", isAdmin: true },
  rotateHookSecret: { act: "hook_rotate", isAdmin: true },
  putChannel: { act: "channel_put", isAdmin: true },
  changeChannel: { act: "channel_change", isAdmin: true, namesFields: true },
  deleteChannel: { act: "channel_delete", isAdmin: true },
  approvePairing: { act: "pairing_approve", isAdmin: true, answer: "person" },
  refusePairing: { act: "pairing_refuse", isAdmin: true },
  putChannelPerson: { act: "channel_person_put", isAdmin: true },
  deleteChannelPerson: { act: "channel_person_delete", isAdmin: true },
  changeChat: { act: "chat_change", isAdmin: true, namesFields: true },
  putBoard: { act: "board_put" },
  deleteBoard: { act: "board_delete", isAdmin: true },
  putRole: { act: "role_put" },
  deleteRole: { act: "role_delete" },
  createWebhook: { act: "webhook_create", isAdmin: true, answer: "name" },
  changeWebhook: { act: "webhook_change", isAdmin: true, namesFields: true },
  deleteWebhook: { act: "webhook_delete", isAdmin: true },
  rotateWebhookSecret: { act: "webhook_rotate", isAdmin: true },
  putMcpServer: { act: "mcp_server_put", isAdmin: true },
  deleteMcpServer: { act: "mcp_server_delete", isAdmin: true },
  authorizeMcpServer: { act: "mcp_server_authorize", isAdmin: true },
  putSkill: { act: "skill_put" },
  deleteSkill: { act: "skill_delete" },
  importSkill: { act: "skill_import", answer: "name" },
  pinSkill: { act: "skill_pin" },
  archiveSkill: { act: "skill_archive" },
  restoreSkill: { act: "skill_restore" },
  adoptSkill: { act: "skill_adopt" },
  publishSkill: { act: "skill_publish", isAdmin: true },
  undoSkillRevision: { act: "skill_undo" },
  purgeSkillRevision: { act: "skill_purge" },
  addMemory: { act: "memory_add", answer: "id" },
  replaceMemory: { act: "memory_replace" },
  forget: { act: "memory_forget" },
  purgeMemory: { act: "memory_purge" },
  decidePending: { act: "pending_decide" },
  decideApproval: { act: "approval_decide" },
  approveRun: { act: "approval_decide" },
  revokeAllowance: { act: "allowance_revoke" },
  pauseCurator: { act: "curator_pause" },
  resumeCurator: { act: "curator_resume" },
  rollBackCurationRun: { act: "curation_roll_back" },
  deleteSession: { act: "session_delete" },
  beginExport: { act: "export_begin", isAdmin: true, answer: "export" },
  sealExport: { act: "export_seal", isAdmin: true },
  beginImport: { act: "import_begin", isAdmin: true },
  commitImport: { act: "import_commit", isAdmin: true },
  discardImport: { act: "import_discard", isAdmin: true },
};
