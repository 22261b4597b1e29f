import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runScript, temporaryDirectory } from '../../test/run-script.ts'
import { logRecord as record, sinkContract } from '../testing.ts'
import { JsonSink, type JsonSinkConfig } from './json-sink.ts'

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

sinkContract(
  'JsonSink',
  () => {
    const path = join(temporaryDirectory(), 'logs', 'app.json')
    return {
      sink: new JsonSink({ path }),
      entries: () => linesOf(path).map((line) => (JSON.parse(line) as { message: string }).message),
    }
  },
  it,
)

sinkContract(
  'JsonSink without locations',
  () => {
    const path = join(temporaryDirectory(), 'app.json')
    return {
      sink: new JsonSink({ path, showLocation: false }),
      entries: () => linesOf(path).map((line) => (JSON.parse(line) as { message: string }).message),
    }
  },
  it,
)

describe('JsonSink', () => {
  it('writes every record to stdout as an object, including errors', () => {
    const { stdout, stderr } = runScript(`
log.init({ sinks: [new log.JsonSink()] })
log.with({ id: 1 }).error('bad {}', 7)`)
    expect(JSON.parse(stdout)).toMatchObject({ level: 'error', message: 'bad 7', line: 4, fields: { id: 1 } })
    expect(stderr).toBe('')
  })

  it('omits the location if showLocation is false', () => {
    const path = join(temporaryDirectory(), 'app.json')
    const location = { file: '/src/app.ts', line: 7, functionName: 'f' }
    new JsonSink({ path, showLocation: false }).write(record({ location }))
    expect(JSON.parse(linesOf(path)[0] ?? '')).not.toHaveProperty('file')
  })

  it.runIf(process.platform !== 'win32').each<[JsonSinkConfig, number]>([
    [{}, 0o640],
    [{ mode: 0o600 }, 0o600],
  ])('applies the options %j to its file: permission bits %i', (options, mode) => {
    const umask = process.umask(0)
    onTestFinished(() => void process.umask(umask))
    const path = join(temporaryDirectory(), 'app.json')
    new JsonSink({ path, ...options }).close()
    expect(statSync(path).mode & 0o777).toBe(mode)
  })

  it('rejects an unknown option, a non-boolean flag and a path that cannot be opened', () => {
    expect(() => new JsonSink({ file: 'x' } as JsonSinkConfig)).toThrow(
      'JsonSink: unknown option "file". Known options: path,',
    )
    expect(() => new JsonSink({ showLocation: 0 } as unknown as JsonSinkConfig)).toThrow(
      'JsonSink: option "showLocation" must be true or false, got 0.',
    )
    expect(() => new JsonSink({ path: 'x', mode: 0o1000 })).toThrow('JsonSink: option "mode" must be permission bits')
    expect(() => new JsonSink({ path: temporaryDirectory() })).toThrow(/EISDIR/)
  })
})
