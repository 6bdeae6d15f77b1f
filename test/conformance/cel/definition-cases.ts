/** Rules in definitions, each in a schema of its own: both servers must accept or refuse them with the same words. */

export interface DefinitionCase {
  /** Of `spec.value`. */
  readonly schema: object;
  readonly rules: readonly (string | object)[];
}

const text = { type: "string" };
const short = { type: "string", maxLength: 20 };
const number = { type: "integer" };
const listOf = (items: object, rest: object = {}): object => ({ type: "array", items, ...rest });
const mapOf = (additionalProperties: object, rest: object = {}): object => ({
  type: "object",
  additionalProperties,
  ...rest,
});
const objectOf = (properties: object, rest: object = {}): object => ({ type: "object", properties, ...rest });

const few = listOf(short, { maxItems: 10 });
const pair = objectOf({ a: short, b: number });
const rows = listOf(listOf(number, { maxItems: 50 }), { maxItems: 50 });

const onText: readonly string[] = [
  "self == 'a'",
  "self.size() < 10",
  "self.matches('^[a-z]+$')",
  "self.matches(self)",
  "self.contains(self)",
  "self.contains('abc')",
  "self.startsWith('a') && self.endsWith('b')",
  "self.replace('', self).size() > 0",
  "self.replace('a', 'b').size() > 0",
  "self.split('').all(c, c != '')",
  "self.split(',', 3).all(c, c.matches('a+'))",
  "self.find('[0-9]+') != ''",
  "self.findAll('[0-9]+').all(n, int(n) > 0)",
  "self.lowerAscii() == self",
  "self.format([1]) == ''",
  "'%s'.format([self]) == self",
  "self + self == self",
  "self < 'x'",
  "self.indexOf('a') > 0",
  "self.trim().substring(1).charAt(0) == 'a'",
  "url(self).getHost() == 'a'",
  "ip(self).family() == 4",
  "ip.isCanonical(self)",
  "cidr(self).containsIP('10.0.0.1')",
  "cidr(self).containsCIDR(self)",
  "quantity(self).isLessThan(quantity('1'))",
  "semver(self).major() > 1",
  "isSemver(self, true)",
  "!format.dns1123Label().validate(self).hasValue()",
  "format.named(self).hasValue()",
  "duration(self) > duration('1s')",
  "timestamp(self).getFullYear() > 2000",
  "bytes(self) == b'a'",
  "strings.quote(self) != ''",
  "string(bytes(self)) == self",
  "self in ['a', 'b']",
  "type(self) == string",
];

const onList: readonly string[] = [
  "self.all(x, x != '')",
  "self.all(x, self.exists_one(y, x == y))",
  "self.all(x, self.all(y, self.all(z, x + y + z != '')))",
  "self.exists(x, x.matches('a+b+'))",
  "self.map(x, x + 'a').all(y, y != '')",
  "self.filter(x, x != 'a').size() > 1",
  "self.distinct().size() == self.size()",
  "self.sort() == self",
  "self.sortBy(x, x.size()) == self",
  "self.isSorted()",
  "self.indexOf('a') >= 0",
  "self.join(',').size() < 10",
  "self.reverse().slice(0, 1).size() == 1",
  "sets.contains(self, ['a'])",
  "sets.equivalent(self, self)",
  "sets.intersects(self, self)",
  "'a' in self",
  "self.all(x, x in self)",
  "self == self",
  "(self + self).all(x, x != '')",
  "self.transformList(i, x, x + string(i)).size() > 0",
  "self.transformMap(i, x, x).size() > 0",
  "self.all(i, x, i < 10 || x == 'a')",
  "self.first().hasValue() && self.last().orValue('') != ''",
  "self[0] == 'a'",
  "self[?0].optMap(x, x + 'a').orValue('') == ''",
  "lists.range(self.size()).all(i, self[i] != '')",
  "lists.range(10).all(i, i < 10)",
  "self.max() != self.min()",
  "[self, self].flatten().size() > 0",
  "self.map(x, self.map(y, x + y)).flatten().all(z, z != '')",
  "'%s'.format([self]) != ''",
];

const onPair: readonly (string | object)[] = [
  "self.a == 'x' ? self.b > 1 : self.b < 1",
  "has(self.a) && self.b in [1, 2, 3]",
  "self.?a.orValue('') == 'x'",
  "self.?b.optFlatMap(b, b > 1 ? optional.of(b) : optional.none()).hasValue()",
  "{'a': self.a, ?'b': self.?a}.size() > 0",
  "[?self.?a, 'x'].size() == 1",
  "optional.ofNonZeroValue(self.b).hasValue()",
  "self.c == 1",
  "self.a == 1",
  "self.a + self.b == ''",
  "self.a",
  "foo(self.a)",
  "self.a.foo()",
  "other == 1",
  "self.a ==",
  "self.a = 'x'",
  "(self.a == 'x'",
  "self.b == 1 and self.b == 2",
  "self.a.matches('(')",
  "duration('x') == duration('1s')",
  "timestamp('x') == timestamp(1)",
  "self.b == int('x')",
  "[1, 'a'].size() == 2",
  "{'a': 1, 'b': 'c'}.size() == 2",
  "'%d'.format([self.a]) == ''",
  "'%d %d'.format([self.b]) == ''",
  "has(self)",
  "self.a.all(x, true)",
  "self.b.size() == 1",
  "cel.bind(x, 1, x == 1)",
  "self.a.reverse() == self.a",
  "math.greatest(1, 2) == 2",
  "base64.encode(b'a') == ''",
  "self.b == 1u",
  "self.b < 1.5",
  "self.a.map(x, x) == []",
  "Foo{a: 1} == self",
  "self.b == null",
  "self == null",
  "if == 1",
  "self.a.existsOne(x, true)",
  "b'a' < b'b' && bytes(self.a) >= b'a'",
  "string(duration('1s')) == '1s' && string(timestamp('2020-01-01T00:00:00Z')) != ''",
  "int(timestamp('2020-01-01T00:00:00Z')) > 0 && string(ip('1.1.1.1')) == '1.1.1.1'",
  "self.b == oldSelf.b",
  { rule: "oldSelf.hasValue() || self.b > 0", optionalOldSelf: true },
  { rule: "self.b > 0", optionalOldSelf: true },
  { rule: "oldSelf.orValue(self).b == 1", optionalOldSelf: true },
  { rule: "self.b > 0", messageExpression: "'b is ' + string(self.b)" },
  { rule: "self.b > 0", messageExpression: "self.b" },
  { rule: "self.b > 0", messageExpression: "self.c + 'x'" },
];

const onRows: readonly string[] = [
  "self == self",
  "self.all(r, r == self[0])",
  "self.all(r, self.indexOf(r) >= 0)",
  "self.all(r, self.all(s, r == s))",
  "self.all(r, r.all(c, r.all(d, c == d)))",
  "self.flatten().all(c, c > 0)",
  "self.distinct().size() == self.size()",
  "self.map(r, r.sum()).sum() > 0",
];

const onMap: readonly string[] = [
  "self.all(k, self[k] != '')",
  "self.all(k, v, k != v)",
  "self.exists(k, k.startsWith('a'))",
  "'a' in self && self.a == 'b'",
  "self == {'a': 'b'}",
  "self.transformMap(k, v, v + k).size() > 0",
  "self.transformMapEntry(k, v, {v: k}).size() > 0",
  "self.transformList(k, v, k + v).join('') != ''",
  "self.map(k, k).size() == 1",
  "self[?'a'].orValue('x') == 'y'",
  "self.all(k, k.matches('^[a-z]+$'))",
];

const each = (schema: object, rules: readonly (string | object)[]): readonly DefinitionCase[] =>
  rules.map((rule) => ({ schema, rules: [rule] }));

export const definitionCases: readonly DefinitionCase[] = [
  ...each(text, onText),
  ...each(short, onText),
  ...each({ ...text, enum: ["a", "bcd"] }, ["self.matches(self)", "self.contains(self)"]),
  ...each({ ...text, format: "date-time" }, ["self > timestamp('2020-01-01T00:00:00Z')", "self == self"]),
  ...each({ ...text, format: "byte", maxLength: 100 }, ["self == b'a'", "string(self) != ''"]),
  ...each({ "x-kubernetes-int-or-string": true }, [
    "self == 1",
    "self == '80%'",
    "type(self) == int ? self > 1 : self.matches('%$')",
  ]),
  ...each(listOf(text), onList),
  ...each(few, onList),
  ...each(pair, onPair),
  ...each(rows, onRows),
  ...each(listOf(listOf(number)), onRows),
  ...each(mapOf(text), onMap),
  ...each(mapOf(short, { maxProperties: 10 }), onMap),
  // a rule within a list or map counts as often as the list is long
  { schema: listOf({ ...short, "x-kubernetes-validations": [{ rule: "self.matches('^[a-z]+$')" }] }), rules: [] },
  {
    schema: listOf({ ...short, "x-kubernetes-validations": [{ rule: "self != 'a'" }] }, { maxItems: 1000 }),
    rules: ["self.size() > 0"],
  },
  {
    schema: mapOf(
      listOf({ ...short, "x-kubernetes-validations": [{ rule: "self.contains('a')" }] }, { maxItems: 100 }),
    ),
    rules: [],
  },
  {
    schema: listOf(
      objectOf(
        { name: { ...short, "x-kubernetes-validations": [{ rule: "self.matches('a')" }] }, id: number },
        { required: ["name", "id"], "x-kubernetes-validations": [{ rule: "self.id > 0" }] },
      ),
    ),
    rules: ["self.all(x, self.exists_one(y, x.name == y.name))"],
  },
  // together too expensive, though each alone is just allowed
  {
    schema: listOf(short, { maxItems: 1000 }),
    rules: Array.from({ length: 30 }, (_, i) => `self.all(x, self.all(y, x != y + '${i}'))`),
  },
];
