import { mkdtempDisposableSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { describe, expect, it } from 'vitest'
import { type PublicApi, publicApi } from './public-api.ts'

/** Lists the API of a module, each element by its line and name. */
function check(text: string, list: keyof PublicApi = 'undocumented'): string[] {
  using folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), 'public-api-'))
  const [config, entry] = [join(folder.path, 'tsconfig.json'), join(folder.path, 'index.ts')]
  writeFileSync(config, '{ "compilerOptions": { "types": [], "lib": ["esnext"] }, "files": ["index.ts"] }')
  writeFileSync(entry, text)
  const api = new API()
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error('The project was not opened')
    const found = publicApi(project, entry, (path) => path.startsWith(folder.path))[list]
    return found.map(({ line, name }) => `${line} ${name}`)
  } finally {
    api.close()
  }
}

describe('publicApi', () => {
  it('finds exports without a docstring', () => {
    const text =
      '/** A. */\nexport const a = 1\nexport const b = 2\n// Not a docstring.\nexport function c(): void {}\nconst d = 3'
    expect(check(text)).toEqual(['3 b', '5 c'])
  })

  it('finds public members of classes, and skips private ones', () => {
    const text = `/** A. */
export class A {
  readonly b = 1
  private readonly c = 1
  protected readonly d = 1
  readonly #e = 1
  static f(): number { return this.prototype.#e }
  /** G. */
  get g(): number { return this.c + this.d }
}`
    expect(check(text)).toEqual(['7 A.f', '3 A.b'])
  })

  it('finds members of types that are reachable from an export', () => {
    const text = `interface Inner {
  readonly a: 1
  /** B. */
  readonly b: { readonly c: 2 }
}
/** Options. */
export interface Options {
  /** Inner. */
  readonly inner?: readonly Inner[] | undefined
}
/** Takes D. */
export function take(d: { readonly e: 1 }): Promise<{ readonly f: 2 }> { return Promise.resolve({ f: 2, ...d }) }`
    expect(check(text)).toEqual(['2 Inner.a', '4 Inner.b.c', '12 take(d).e', '12 take().f'])
  })

  it('finds members of a type that Pick or Omit maps', () => {
    const text = `interface Inner {
  readonly a: 1
  readonly b: 2
  readonly c: 3
}
/** Picked. */
export type Picked = Pick<Inner, 'a'>
/** The others. */
export type Others = Omit<Inner, 'a' | 'b'>`
    expect(check(text)).toEqual(['2 Picked.a', '4 Others.c'])
  })

  it('requires a docstring for each overload', () => {
    const text = `/** A. */
export interface A {
  /** Calls with a number. */
  (x: number): void
  (x: string): void
}`
    expect(check(text)).toEqual(['5 A()'])
  })

  it("requires text in a constructor's docstring, which replaces that of the class", () => {
    const text = `/** A. */
export class A {
  /** @throws {TypeError} always */
  constructor() { throw new TypeError() }
}
/** B. */
export class B { constructor() {} }`
    expect(check(text)).toEqual(['4 new A()'])
  })

  it('terminates for a generic type that refers to larger instantiations of itself', () => {
    const text = `/** A. */
export interface A<T> {
  /** Next. */
  next(): A<T[]>
  readonly value: T
}`
    expect(check(text)).toEqual(['5 A.value'])
  })

  it('lists exports by their public names', () => {
    const text = `class A {}
export { A as B }
export type C = 1`
    expect(check(text, 'exported')).toEqual(['1 B', '3 C'])
  })

  it('lists the types that a declaration file can mention', () => {
    const text = `interface Inner {
  readonly a: 1
}
type Local = Inner | undefined
export type Alias<T> = { readonly value: T }
export const value: { readonly b: Alias<Local> } = { b: { value: undefined } }
class Hidden {}
export class A {
  private constructor(_: Hidden) {}
}`
    expect(check(text, 'types')).toEqual(['5 Alias: Alias', '1 value.b: Inner', '8 A: A'])
  })
})
