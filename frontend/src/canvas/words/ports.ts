import { word } from ".";

/** The name of a way out in the reader's language: the catalogue's for those it knows, else as the person wrote it. */
export function portLabel(port: string, label: string): string {
  return word(`port.${port}`, label);
}
