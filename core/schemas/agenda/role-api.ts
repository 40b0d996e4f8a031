// The API of a profile's roles: /v1/roles. Forms only.
import * as z from "zod";
import { Role, RoleName } from "./role.ts";

export const RoleInfo = Role.extend({ name: RoleName });
export type RoleInfo = z.infer<typeof RoleInfo>;

export const RoleList = z.object({ roles: z.array(RoleInfo), next: z.string().optional() });
export type RoleList = z.infer<typeof RoleList>;
