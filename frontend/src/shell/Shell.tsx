import { Outlet } from "@tanstack/react-router";

export type ShellKind = "none" | "mini" | "mid" | "full";

export function Shell() {
  return <Outlet />;
}
