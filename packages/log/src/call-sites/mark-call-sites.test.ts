import { expect, it } from 'vitest'
import { markCallSites } from './mark-call-sites.ts'

/** Returns the line and function name that each log call in a module received. */
function sitesOf(source: string): [line: number, functionName: string][] {
  const made = markCallSites(source, '/app.js')?.matchAll(/__fwCallSite\("\/app\.js",(\d+),"(.*?)"\)/g) ?? []
  return [...made].map(([, line, name = '']) => [Number(line), name])
}

/** Returns the locations of `count` calls on line 2, outside functions. */
function times(count: number): [number, string][] {
  return Array.from({ length: count }, () => [2, ''])
}

it('declares the locations before the first statement and passes one as the first argument of each call', () => {
  const source = `'use strict'
import * as log from '@fw/log'
log.info('a {}', 1); log.warn('b')
`
  expect(markCallSites(source, '/a b.js')).toBe(`'use strict'
import{callSite as __fwCallSite}from'@fw/log';const __fwSite0=__fwCallSite("/a b.js",3,""),__fwSite1=__fwCallSite("/a b.js",3,"");import * as log from '@fw/log'
log.info(__fwSite0,'a {}', 1); log.warn(__fwSite1,'b')
`)
})

it.each<[string, [number, string][]]>([
  ['log.trace("x"); log.debug("x"); log.error("x"); log.fatal("x"); log.FW_LOG_INFO("x")', times(5)],
  ['log\n.info(\n"x")', [[3, '']]],
  ['info("x"); renamed("x")', times(2)],
  ['log.info(...args)', [[2, '']]],
  ['function f() { log.info("x") }', [[2, 'f']]],
  ['const f = () => log.info("x")', [[2, 'f']]],
  ['const f = function g() { log.info("x") }', [[2, 'g']]],
  [
    'const o = { m() { log.info("x") }, a: () => { log.info("x") } }',
    [
      [2, 'm'],
      [2, 'a'],
    ],
  ],
  ['class C { m() { log.info("x") } }', [[2, 'm']]],
  ['call(() => { log.info("x") })', [[2, '']]],
  ['function f() { if (a) { for (;;) log.info("x") } }', [[2, 'f']]],
])('finds the locations in %j', (body, sites) => {
  expect(sitesOf(`import * as log from '@fw/log'; import { info, warn as renamed } from '@fw/log'\n${body}`)).toEqual(
    sites,
  )
})

it.each([
  ['no import', `import * as log from 'other'; log.info('@fw/log')`],
  ['an import of something else', `import { MemorySink } from '@fw/log'; new MemorySink()`],
  ['a method that logs nothing', `import * as log from '@fw/log'; log.setLevel(1); log.with({}).info('x')`],
  ['a computed method', `import * as log from '@fw/log'; log['info']('x')`],
  ['no argument', `import * as log from '@fw/log'; log.info()`],
  ['a parameter with the same name', `import * as log from '@fw/log'; log.info('x'); (log) => log.info('x')`],
  ['a variable with the same name', `import { info } from '@fw/log'; info('x'); { const [{ a: info = 1 }] = [] }`],
  ['a function with the same name', `import { info } from '@fw/log'; info('x'); { function info() {} }`],
  ['a caught error with the same name', `import { info } from '@fw/log'; try { info('x') } catch (info) {}`],
  ['a function that gets its name at run time', `import { info } from '@fw/log'; ({ [a]() { info('x') } })`],
  [
    'a getter, a constructor, a field and a static block',
    `import { info } from '@fw/log'
class C { get a() { info('x') } constructor() { info('x') } f = info('x'); static { info('x') } }`,
  ],
  ['a syntax error', `import { info } from '@fw/log'; info('x') }`],
])('does not change a module with %s', (_what, source) => {
  expect(markCallSites(source, '/app.js')).toBeUndefined()
})
