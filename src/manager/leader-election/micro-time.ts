/** MicroTime, the time format of Leases and events: RFC 3339 in UTC with exactly six digits. Clocks in, strings out, and back. */

/** The API server refuses any other number of digits. */
export function microTime(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}
