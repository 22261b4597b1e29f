import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryDirectory } from './run-script.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Logs from functions of every kind. */
const SOURCE = `import * as log from '@fw/log'
import { info, FW_LOG_WARN as warned, runtime } from '@fw/log'
log.init({ sinks: [new log.FileSink({ path: process.argv[2]!, pattern: '{level} {path}:{line} {function} {message}' })] })
interface Named { readonly name: string }
log.info('plain'); info('{} {}', 'two', 'arguments')
log
  .info('on the next line')
function declared(): void { log.info('in a function'); warned('{0}', 'by its macro name') }
const arrow = async (text: string): Promise<void> => { await null; log.info('{}', text) }
class Thing implements Named {
  readonly name = 'thing'
  field = log.info('in a field')
  static { log.info('in a static block') }
  constructor() { log.info('in a constructor') }
  method<T>(value: T): T { log.info('{} in a method', value); return value }
  get property(): number { log.info('in a getter'); return 1 }
  #hidden(): void { log.info('in a private method') }
  open(): void { this.#hidden() }
}
const object = { short() { log.info('short') }, long: () => { log.info('long') }, ['com' + 'puted']() { log.info('computed') } }
declared(); await arrow('after a wait')
const thing = new Thing(); thing.method(1); void thing.property; thing.open()
object.short(); object.long(); (object as any).computed()
;[1].forEach(() => log.info('in a callback'))
setTimeout(() => log.info('in a timer'))
let assigned: () => void; assigned = () => log.info('assigned'); assigned()
export default (() => log.info('called at once'))()
log.with({ a: 1 }).info('by a child'); log.logger.log(log.Level.Info, 'by level')
log.info(runtime('{} at run time'), 1); log.info('no {} arguments')
log.info(...(['spread {}', 1] as const)); log.debug('not shown {}', 1)
log.setLevel(log.Level.Debug); log.debug('shown {}', 1)
`

const REGISTER = ['--import', join(PACKAGE, 'src/register-location.ts')]

/** Returns a directory in which the package is installed. */
function installed(): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'node_modules/@fw'), { recursive: true })
  symlinkSync(PACKAGE, join(directory, 'node_modules/@fw/log'))
  return directory
}

it.each(['ts', 'mjs'])('produces the same output with and without marks, .%s', (extension) => {
  const directory = installed()
  const script = join(directory, `app.${extension}`)
  const types =
    / implements Named|: Promise<void>|: (?:void|number|string|T)\b|<T>|readonly |!|: \(\) => void| as (?:any|const)/g
  const javaScript = SOURCE.replace(/^interface.*$/m, '').replace(types, '')
  writeFileSync(script, extension === 'ts' ? SOURCE : javaScript)

  const run = (flags: readonly string[]): string => {
    const path = join(directory, `${flags.length}.log`)
    const { stderr } = spawnSync(process.execPath, [...flags, script, path], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return readFileSync(path, 'utf8')
  }
  const plain = run([])
  const marked = run(REGISTER)
  expect(plain.split('\n')).toHaveLength(26)
  expect(marked).toBe(plain)
})

it('marks calls in TypeScript without output on stderr', () => {
  const script = join(installed(), 'app.ts')
  writeFileSync(
    script,
    `import { info } from '@fw/log'\nconst f = (text: string): void => info(text)\nprocess.stdout.write(String(f))`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [...REGISTER, script], { encoding: 'utf8' })
  expect(stdout).toMatch(/info\(__fwSite0,text\)$/)
  expect(stderr).toBe('')
})
