/** The IANA zones this browser knows, UTC among them. */
export function zones(): string[] {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  return known.includes("UTC") ? known : ["UTC", ...known];
}

/** The zone of this device. */
export function guessZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}
