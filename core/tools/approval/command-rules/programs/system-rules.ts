// The dangerous commands of an administrator's programs: users, schedules, firewalls, disks, the kernel. Used by dangerous.ts. Pure.
import { hasAny, hasFlag, operandsOf } from "../arguments.ts";
import { type DangerousRule, when } from "../sentences.ts";

export type Rule = (args: string[], name: string) => DangerousRule | null | undefined | false;

export const always =
  (rule: DangerousRule): Rule =>
  () =>
    rule;

export const SYSTEM_RULES: Record<string, Rule> = {
  su: always("sudo-unsafe"),
  runuser: always("sudo-unsafe"),
  pkexec: always("sudo-unsafe"),
  crontab: (args) => when(!hasFlag(args, "l") || hasFlag(args, "r"), "cron-change"),
  at: (args) => when(!hasAny(args, "--help", "-l"), "cron-change"),
  batch: always("cron-change"),
  visudo: always("user-change"),
  useradd: always("user-change"),
  userdel: always("user-change"),
  usermod: always("user-change"),
  adduser: always("user-change"),
  deluser: always("user-change"),
  groupadd: always("user-change"),
  groupdel: always("user-change"),
  passwd: always("user-change"),
  chpasswd: always("user-change"),
  chsh: always("user-change"),
  iptables: (args) => when(!hasFlag(args, "L") && !hasFlag(args, "S"), "firewall"),
  ip6tables: (args) => when(!hasFlag(args, "L") && !hasFlag(args, "S"), "firewall"),
  nft: (args) => when(args[0] !== "list", "firewall"),
  ufw: (args) => when(args[0] !== "status", "firewall"),
  "firewall-cmd": always("firewall"),
  setenforce: always("firewall"),
  csrutil: always("firewall"),
  spctl: always("firewall"),
  mount: (args) => when(operandsOf(args).length > 0, "disk-change"),
  umount: always("disk-change"),
  fdisk: (args) => when(!hasFlag(args, "l"), "disk-change"),
  sfdisk: always("disk-change"),
  sgdisk: always("disk-change"),
  parted: (args) => when(!hasFlag(args, "l"), "disk-change"),
  swapoff: always("disk-change"),
  lvremove: always("disk-change"),
  vgremove: always("disk-change"),
  zfs: (args) => when(args[0] === "destroy" || args[0] === "rollback", "disk-change"),
  zpool: (args) => when(args[0] === "destroy", "disk-change"),
  cryptsetup: always("disk-change"),
  modprobe: always("kernel-change"),
  insmod: always("kernel-change"),
  rmmod: always("kernel-change"),
  sysctl: (args) => when(hasFlag(args, "w") || args.some((arg) => arg.includes("=")), "kernel-change"),
  date: (args) => when(hasFlag(args, "s") || hasAny(args, "--set"), "kernel-change"),
};
