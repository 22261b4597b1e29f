// `pnpm fuzz`: searches for inputs on which a parser of peer input breaks a rule (CONTRIBUTING.md, "Fuzzing").
import { resolve } from 'node:path'
import { runFuzzCommand } from '../packages/testing/src/fuzz/command.ts'

const root = resolve(import.meta.dirname, '..')
process.exitCode = await runFuzzCommand(process.argv.slice(2), { root, print: (line) => console.log(line) })
