import { describe, expect, it } from 'vitest'
import { exportedNames } from './exported-names.ts'

describe('exportedNames', () => {
  it.each<[string, string[]]>([
    [`export { a } from './a.ts'`, ['a']],
    [`export { a, type B, c as with } from './x.ts'`, ['a', 'B', 'with']],
    [`export type {\n  A,\n  B as C,\n} from './x.ts'`, ['A', 'C']],
    [
      `export class A {}\nexport async function b() {}\nexport interface C {}\nexport const d = 1`,
      ['A', 'b', 'C', 'd'],
    ],
    [`import { a } from './a.ts'\nconst export_ = { a }`, []],
  ])('parses %j into the names %j', (source, names) => {
    expect(exportedNames(source)).toEqual(names)
  })
})
