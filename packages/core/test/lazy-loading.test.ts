import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ENTRY = new URL('../src/index.ts', import.meta.url).href
/** Prints what is loaded: modules of Node.js itself, then files. */
const PROGRAM = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
  await import(${JSON.stringify(ENTRY)})
  console.log([...process.moduleLoadList, ...urls].join('\\n'))
`
const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
const loaded = stdout.split('\n')

// All of it together takes longer to load than everything else, and a worker that is replaced is waited for.
it.each([
  ['fetch', /deps\/undici\/undici$/],
  ['HTTP/3', /\/http3\/|@matrixai/],
  ['what looks after workers', /\/supervisor/],
  ['multipart bodies', /busboy/],
  ['serializers', /fast-json-stringify/],
  ['negotiation', /negotiator|node_modules.*content-type/],
])('%s is loaded when it is needed', (_, name) => {
  expect(loaded).toContain(ENTRY)
  expect(loaded.filter((each) => name.test(each))).toEqual([])
})
