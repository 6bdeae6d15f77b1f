import { expect, test } from "vitest";
import { hasFormat, isKnownFormat } from "./formats.js";

test.each([
  ["date", "2020-02-29", true],
  ["date", "2021-02-29", false],
  ["date", "2020-13-01", false],
  ["date-time", "2020-01-01T24:00:00Z", false],
  ["date-time", "2020-13-01T00:00:00Z", false],
  ["date-time", "2020-01-01t00:00:00.5z", true],
  ["duration", "1h30m", true],
  ["duration", "2 weeks", true],
  ["duration", "x", false],
  ["email", "A <a@b.c>", true],
  ["email", "mailto:a@b.c", false],
  ["hostname", "ü€", true],
  ["hostname", "a.b-c", false],
  ["ipv4", "01.2.3.4", true],
  ["ipv4", "::ffff:1.2.3.4", true],
  ["ipv6", "fe80::1%eth0", false],
  ["isbn10", "0-306-40615-2", true],
  ["isbn10", "0306406153", false],
  ["isbn13", "978-3-16-148410-0", true],
  ["isbn", "x", false],
  ["creditcard", "4111 1111 1111 1111", true],
  ["creditcard", "4111 1111 1111 1112", false],
  ["ssn", "123456789", false],
  ["rgbcolor", "rgb(1,2,300)", false],
  ["byte", "", false],
  ["constructor", "x", true],
])("%s of %j: %s", (format, text, fits) => {
  expect(hasFormat(format, text)).toBe(fits);
});

test("a format is known for its type alone", () => {
  expect(isKnownFormat("string", "date-time")).toBe(true);
  expect(isKnownFormat("integer", "date-time")).toBe(false);
  expect(isKnownFormat("string", "constructor")).toBe(false);
});
