import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryDirectory } from './run-script.ts'

const COMPILER = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const TYPES = fileURLToPath(new URL('../src/format-args.ts', import.meta.url))
const PREAMBLE = `import type { FormatArgs } from ${JSON.stringify(TYPES)}
declare function info<const F extends string>(format: F, ...args: FormatArgs<F>): void
declare const text: string`

/** Compiles calls of a log method, one to a line. */
function compile(calls: readonly string[]): { output: string; instantiations: number } {
  const directory = temporaryDirectory()
  const config = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'esnext',
      types: [],
      allowImportingTsExtensions: true,
    },
    files: ['calls.ts'],
  }
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(directory, 'calls.ts'), [PREAMBLE, ...calls].join('\n'))
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', directory, '--extendedDiagnostics'], {
    encoding: 'utf8',
  })
  return { output: stdout, instantiations: Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]) }
}

it('tells what is wrong with a format', () => {
  const cases = [
    [`info('{}:{}', 1)`, 'Source has 1 element(s) but target requires 2.'],
    [`info('{}', 1, 2)`, 'Source has 2 element(s) but target allows only 1.'],
    [`info('x', 1)`, 'Expected 1 arguments, but got 2.'],
    [`info('{:d}', 'x')`, `Type '"x"' is not assignable to type 'number | bigint | boolean'.`],
    [`info('{:f}', true)`, "is not assignable to type 'number | bigint'."],
    [`info('{:{}}', 1)`, 'Source has 1 element(s) but target requires 2.'],
    [`info('{:{}}', 1, 'x')`, "is not assignable to type 'number | bigint'."],
    [`info('{:z{}}', 1, 2)`, '{:z{}} is no format spec'],
    [`info('{0:{1}z}', 1, 2)`, '{:{}z} is no format spec'],
    [`info('{:{0}}', 1, 2)`, '{} and {0} cannot be mixed in one format'],
    [`info('{:.2d}', 1)`, 'where c d b o x take no precision and s ? c no sign, # or 0'],
    [`info('{:{', 1)`, 'unclosed { in the format'],
    [`info('{:8', 1)`, 'unclosed { in the format'],
    [`info('{:{}.', 1)`, 'unclosed { in the format'],
    [`info('{name}', 1)`, '{name} is no placeholder; those are {}, {0} to {9}, {:spec} and {0:spec}'],
    [`info('{11}', 1)`, '{11} is no placeholder'],
    [`info('a { b', 1)`, 'unclosed { in the format; write {{ for a brace'],
    [`info('{:zz}', 1)`, '{:zz} is no format spec; it is [[fill]<>^][+- ][#][0][width][.precision][s?cdbBoxXaAeEfFgG]'],
    [`info('{} {0}', 1)`, '{} and {0} cannot be mixed in one format'],
    [`info(text, 1)`, 'a format that is no string literal takes no arguments: use runtime(format)'],
  ] as const
  const { output } = compile(cases.map(([call]) => call))
  const errors = output.split(/^.*calls\.ts\((?=\d)/m).slice(1)
  expect(errors).toHaveLength(cases.length)
  cases.forEach(([, message], at) => expect(errors[at]).toContain(message))
})

it('points at the arguments, or at the first one too many', () => {
  const cases = [
    [`info('{} {:d}', 1, 'x')`, `1, 'x'`],
    [`info('{:{}}', 'a', 'w')`, `'a'`],
    [`info('{0} {1:{0}}', 'a')`, `'a'`],
    [`info('{} {:zz}', 1, 'z')`, `1, 'z'`],
    [`info('plain', 1)`, `1)`],
  ] as const
  const { output } = compile(cases.map(([call]) => call))
  const columns = Array.from(output.matchAll(/calls\.ts\(\d+,(\d+)\)/g), ([, column]) => Number(column))
  expect(columns).toEqual(cases.map(([call, wrong]) => call.lastIndexOf(wrong) + 1))
})

it('costs the compiler at most 80 instantiations a call', () => {
  const calls = Array.from({ length: 100 }, (_, at) => [
    `info('plain ${at}')`,
    `info('one ${at} {}', ${at})`,
    `info('listening on {}:{} ${at}', 'host', ${at})`,
    `info('{} of {:.2f} ${at}', 'a', ${at})`,
    `info('{1} before {0} ${at}', 'a', ${at})`,
    `info('{:{}} ${at}', 'a', ${at})`,
    `info('{:{}.{}f} ${at}', 1, 2, ${at})`,
    `info('{:*^+#012.3e} ${at}', ${at})`,
    `info('{:>8.2f} {:>6} ${at}', 1, ${at})`,
  ]).flat()
  const { output, instantiations } = compile(calls)
  expect(output).not.toContain('error TS')
  expect((instantiations - compile([]).instantiations) / calls.length).toBeLessThanOrEqual(80)
})
