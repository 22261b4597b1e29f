import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryDirectory } from './run-script.ts'

const COMPILER = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(`../src/${path}`, import.meta.url)))
const PREAMBLE = `import { runtime } from ${source('format/format-args.ts')}
import type { LogFunction } from ${source('log-function.ts')}
declare const info: LogFunction
declare const text: string
declare const error: unknown
declare const failure: Error`
const OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'esnext',
  lib: ['es5'],
  types: [],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

/** Compiles programs with one log call per line. */
function compile(programs: readonly (readonly string[])[]): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const references = programs.map((calls, at) => {
    const path = join(directory, `${at}`)
    mkdirSync(path)
    writeFileSync(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['calls.ts'] }))
    writeFileSync(join(path, 'calls.ts'), [PREAMBLE, ...calls].join('\n'))
    return { path }
  })
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ files: [], references }))
  return spawnSync(process.execPath, [COMPILER, '-b', directory, '--extendedDiagnostics'], { encoding: 'utf8' }).stdout
}

it('reports the error in a format', () => {
  const cases = [
    [`info('{}:{}', 1)`, 'Source has 1 element(s) but target requires 2.'],
    [`info('{}', 1, 2)`, 'Source has 2 element(s) but target allows only 1.'],
    [`info('x', 1)`, 'the arguments do not match the placeholders of the format'],
    [`info('{:d}', 'x')`, `Type '"x"' is not assignable to type 'number | bigint | boolean'.`],
    [`info('{:f}', true)`, "is not assignable to type 'number | bigint'."],
    [`info('{:{}}', 1)`, 'Source has 1 element(s) but target requires 2.'],
    [`info('{:{}}', 1, 'x')`, "is not assignable to type 'number | bigint'."],
    [`info('{:z{}}', 1, 2)`, '[s?cdbBoxXaAeEfFgG], got {:z{}};'],
    [`info('{0:{1}z}', 1, 2)`, '[s?cdbBoxXaAeEfFgG], got {:{}z};'],
    [`info('{:{0}}', 1, 2)`, '{} and {0} cannot be mixed in one format'],
    [`info('{:.2d}', 1)`, 'got {:.2d}; c, d, b, o and x allow no precision, and s, ? and c no sign, # or 0'],
    [`info('{:{', 1)`, 'unclosed { in the format'],
    [`info('{:8', 1)`, 'unclosed { in the format'],
    [`info('{:{}.', 1)`, 'unclosed { in the format'],
    [`info('{name}', 1)`, 'a placeholder must be {}, {0} to {9}, {:spec} or {0:spec}, got {name}'],
    [`info('{11}', 1)`, '{:spec} or {0:spec}, got {11}'],
    [`info('a { b', 1)`, 'unclosed { in the format; write {{ for a brace'],
    [
      `info('{:zz}', 1)`,
      'a format spec must be [[fill]<>^][+- ][#][0][width][.precision][s?cdbBoxXaAeEfFgG], got {:zz};',
    ],
    [`info('{} {0}', 1)`, '{} and {0} cannot be mixed in one format'],
    [`info(error, text, 1)`, `Argument of type 'unknown' is not assignable to parameter of type 'string'.`],
    [`info(failure, '{}', 1, 2)`, `Argument of type 'Error' is not assignable to parameter of type 'string'.`],
    [`info(text, 1)`, 'a format with arguments must be a string literal, got a string: use runtime(format)'],
  ] as const
  const output = compile([cases.map(([call]) => call)])
  const errors = output.split(/^.*calls\.ts\((?=\d)/m).slice(1)
  expect(errors).toHaveLength(cases.length)
  cases.forEach(([, message], at) => expect(errors[at]).toContain(message))
})

it('accepts an error or a value of unknown type before a format', () => {
  const calls = [
    `info(failure)`,
    `info(error)`,
    `info(failure, 'plain')`,
    `info(error, '{} of {:.2f}', 1, 2)`,
    `info(error, runtime(text), 1, 2)`,
    `try { info('') } catch (caught) { info(caught, '{:d}', 1) }`,
  ]
  expect(compile([calls])).not.toContain('error TS')
})

it('reports the error at the arguments, or at the first surplus one', () => {
  const cases = [
    [`info('{} {:d}', 1, 'x')`, `1, 'x'`],
    [`info('{:{}}', 'a', 'w')`, `'a'`],
    [`info('{0} {1:{0}}', 'a')`, `'a'`],
    [`info('{} {:zz}', 1, 'z')`, `1, 'z'`],
    [`info('plain', 1)`, `'plain'`],
  ] as const
  const output = compile([cases.map(([call]) => call)])
  const columns = Array.from(output.matchAll(/calls\.ts\(\d+,(\d+)\)/g), ([, column]) => Number(column))
  expect(columns).toEqual(cases.map(([call, wrong]) => call.lastIndexOf(wrong) + 1))
})

/** The number of calls with different strings over which the cost is averaged. */
const CALLS = 100

/** The maximum for up to three opening braces, including escaped ones and those in a spec, or for four plain placeholders. */
const MAX_PER_CALL = 80

/** The maximum for each additional brace, because the types parse a format from brace to brace. */
const MAX_PER_BRACE = 14

it(`costs the compiler at most ${MAX_PER_CALL} instantiations per call, for any format`, () => {
  const cases: readonly (readonly [format: string, args: string, bracesBeyond?: number])[] = [
    ['', ''],
    ['{}', `, 1`],
    ['{}:{}', `, 'host', 80`],
    ['{} {} {}', `, 'a', 1, true`],
    ['{} {} {} {}', `, 'a', 1, true, null`],
    ['{{}}', `, ...[]`],
    ['{{}} {}', `, 1`],
    ['{{{}}}', `, 1`],
    ['{{{:>8.2f}}}', `, 1`],
    ['{:d}', `, 1`],
    ['{:?}', `, 'a'`],
    ['{:8}', `, 'a'`],
    ['{:.2f}', `, 1`],
    ['{:<10.4s}', `, 'a'`],
    ['{:*^+#012.3e}', `, 1`],
    ['{} of {:.2f}', `, 'a', 1`],
    ['{:d} {:x}', `, 1, 2`],
    ['{:>8.2f} {:>6}', `, 1, 2`],
    ['{:*^+#012.3e} {:-<#010b}', `, 1, 2`],
    ['{:>8.2f} {:>6} {:x}', `, 1, 2, 3`],
    ['{:{}}', `, 'a', 1`],
    ['{:.{}f}', `, 1, 2`],
    ['{:{}.{}f}', `, 1, 2, 3`],
    ['{:*^+#0{}.{}e}', `, 1, 2, 3`],
    ['{} {:{}}', `, 'a', 1, 2`],
    ['{0}', `, 'a'`],
    ['{1} {0}', `, 'a', 1`],
    ['{0} {0} {1}', `, 'a', 1`],
    ['{0} {1} {2} {3}', `, 'a', 1, true, null`],
    ['{0:x}', `, 1`],
    ['{0:x} {0:.2f}', `, 1`],
    ['{0:x} {1:.2f}', `, 1, 2`],
    ['{1:*^+#012.3e} {0:-<#010b}', `, 1, 2`],
    ['{0:{1}}', `, 'a', 1`],
    ['{0:{1}.{2}f}', `, 1, 2, 3`],
    ['{{}} {} {{}} {}', `, 'a', 1`, 1],
    ['{:d} {:x} {:.2f} {:>8}', `, 1, 2, 3, 4`, 1],
    ['{:*^+#012.3e} {:>8.2f} {:#010x} {:*<6.2s}', `, 1, 2, 3, 4`, 1],
    ['{0:*^+#012.3e} {1:>8.2f} {2:#010x} {3:*<6.2s}', `, 1, 2, 3, 4`, 1],
    ['{:{}} {:.{}f}', `, 'a', 1, 2, 3`, 1],
    ['{0:{1}} {2:{3}}', `, 'a', 1, 2, 3`, 1],
    ['{:{}.{}f} {:{}.{}e}', `, 1, 2, 3, 4, 5, 6`, 3],
    ['{0:{1}.{2}f} {0:{1}.{2}e}', `, 1, 2, 3`, 3],
    ['{} {} {} {} {} {} {} {} {} {} {} {}', `, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`, 9],
  ]
  const programs = cases.map(([format, args]) =>
    Array.from({ length: CALLS }, (_, at) => `info('${format} text ${at}'${args})`),
  )
  const output = compile([[`info('')`], ...programs])
  const [none = NaN, ...counts] = Array.from(output.matchAll(/^Instantiations:\s+(\d+)/gm), ([, count]) =>
    Number(count),
  )
  const costly = cases.flatMap(([format, , beyond = 0], at) => {
    const cost = ((counts[at] ?? NaN) - none) / CALLS
    return cost <= MAX_PER_CALL + MAX_PER_BRACE * beyond ? [] : [{ format, cost }]
  })
  expect(output).not.toContain('error TS')
  expect(costly).toEqual([])
})
