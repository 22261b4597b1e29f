import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@fw/testing'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = readdirSync(ROOT).filter((name) => /^\d\d-/.test(name))
/** The Node.js test runner would report its results to this test runner. */
const { NODE_TEST_CONTEXT: _, ...ENVIRONMENT } = process.env

function read(...path: string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8')
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  return connected.finally(() => socket.destroy())
}

describe.each(EXAMPLES)('example %s', (name) => {
  const cwd = join(ROOT, name)

  it('passes its test', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'test.ts'], { cwd, env: ENVIRONMENT })
    expect(stdout).toMatch(/^ℹ pass [1-9]/m)
  })

  it('starts with node main.ts', async () => {
    const port = await freePort()
    const env = { ...ENVIRONMENT, PORT: String(port), WORKERS: '1' }
    const child = spawn(process.execPath, ['main.ts'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
    const exited = once(child, 'exit')
    try {
      await expect.poll(() => isListening(port)).toBe(true)
    } finally {
      child.kill('SIGTERM')
      await exited
    }
  })

  it('has at most 80 lines, and declares every package that it imports', () => {
    expect(read(name, 'main.ts').split('\n').length).toBeLessThanOrEqual(80)
    expect(read(name, 'README.md').trimEnd().split('\n')).toHaveLength(3)
    expect(read('README.md')).toContain(`(${name}/main.ts)`)
    const { dependencies, devDependencies } = JSON.parse(read(name, 'package.json')) as Record<string, object>
    const declared = new Set(Object.keys({ ...dependencies, ...devDependencies }))
    const sources = readdirSync(cwd).filter((file) => file.endsWith('.ts'))
    const imports = sources.flatMap((file) =>
      Array.from(read(name, file).matchAll(/(?:from|import\() ?'([^'./][^']*)'/g)),
    )
    const packages = imports
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !specifier.startsWith('node:'))
      .map((specifier) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    expect(packages.filter((each) => !declared.has(each))).toEqual([])
  })
})
