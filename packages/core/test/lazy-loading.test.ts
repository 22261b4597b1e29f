import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ENTRY = new URL('../src/index.ts', import.meta.url).href
/** Program that prints the loaded modules: first built-in modules, then files. */
const PROGRAM = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
  await import(${JSON.stringify(ENTRY)})
  console.log([...process.moduleLoadList, ...urls].join('\\n'))
`
const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
const loaded = stdout.split('\n')

// These modules take longer to load than all others combined, which would delay the start of each worker.
it.each([
  ['fetch', /deps\/undici\/undici$/],
  ['HTTP/3', /\/http3\/|@matrixai/],
  ['the worker supervisor', /\/supervisor/],
  ['multipart bodies', /busboy/],
  ['serializers', /fast-json-stringify/],
  ['validators of responses', /node_modules\/ajv/],
  ['negotiation', /negotiator|node_modules.*content-type/],
])('does not load %s before the first use', (_, name) => {
  expect(loaded).toContain(ENTRY)
  expect(loaded.filter((each) => name.test(each))).toEqual([])
})
