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
    [`info('{:d}', 'x')`, "Type 'string' is not assignable to type 'number | bigint'."],
    [`info('{name}', 1)`, '{name} is no placeholder; those are {}, {0} to {9}, {:spec} and {0:spec}'],
    [`info('{11}', 1)`, '{11} is no placeholder'],
    [`info('a { b', 1)`, 'unclosed { in the format; write {{ for a brace'],
    [`info('{:zz}', 1)`, '{:zz} is no format spec; it is [[fill]<>^][+- ][#][0][width][.precision][s?dbBoxXeEfFgG]'],
    [`info('{} {0}', 1)`, '{} and {0} cannot be mixed in one format'],
    [`info(text, 1)`, 'a format that is no string literal takes no arguments: use runtime(format)'],
  ] as const
  const { output } = compile(cases.map(([call]) => call))
  const errors = output.split(/^.*calls\.ts\((?=\d)/m).slice(1)
  expect(errors).toHaveLength(cases.length)
  cases.forEach(([, message], at) => expect(errors[at]).toContain(message))
})

it('costs the compiler at most 80 instantiations a call', () => {
  const calls = Array.from({ length: 100 }, (_, at) => [
    `info('plain ${at}')`,
    `info('one ${at} {}', ${at})`,
    `info('listening on {}:{} ${at}', 'host', ${at})`,
    `info('{} of {:.2f} ${at}', 'a', ${at})`,
    `info('{1} before {0} ${at}', 'a', ${at})`,
  ]).flat()
  const { output, instantiations } = compile(calls)
  expect(output).not.toContain('error TS')
  expect((instantiations - compile([]).instantiations) / calls.length).toBeLessThanOrEqual(80)
})
