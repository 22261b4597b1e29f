import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ENTRY = new URL('../src/index.ts', import.meta.url).href
const CHURN_SET = new URL('../src/engine/collections/churn-set.ts', import.meta.url).href
const REQUESTS = 500
/** In one of them nothing is compiled any more. */
const ROUNDS = 5

/** Prints how many bytes of each request are left by a collection of the young objects: the least of several rounds. */
const program = (request: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { App } from ${JSON.stringify(ENTRY)}
  const app = new App()
  app.router.get('/', () => 'hello')
  app.router.use((ctx, next) => next())
  app.router.get('/around', async () => 'hello')
  app.router.get('/finish', (ctx) => { ctx.onFinish(() => {}); return 'hello' })
  app.router.post('/json', async (ctx) => ({ got: await ctx.json() }))
  const json = (path) => [path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":[1,2,3]}' }]
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_used_size
  const requests = async () => {
    for (let i = 0; i < ${REQUESTS}; i++) await (await app.fetch(...${request})).text()
    // What waits for the next turn, such as an end of a stream, holds on to its request.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const round = async () => {
    // Twice, so that what is left is old, or gone.
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    const before = young()
    await requests()
    gc({ type: 'minor' })
    return (young() - before) / ${REQUESTS}
  }
  await requests()
  let least = Infinity
  for (let i = 0; i < ${ROUNDS}; i++) least = Math.min(least, await round())
  console.log(least)
`
// Room for all that the requests allocate, so that they are collected when the program says so.
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', '--input-type=module', '--eval']

it.each([
  ['of a static route', `['/']`],
  ['within middleware', `['/around']`],
  ['that is listened to', `['/finish']`],
  ['with a body', `json('/json')`],
  ['made of a Request', `[new Request('http://localhost/')]`],
  ['with a body, made of a Request', `[new Request(...json('http://localhost/json'))]`],
])('nothing of a request %s lives longer than the request', async (_, request) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, program(request)])
  // A request takes some 1,000 bytes, ten times that if it is a Request.
  expect(Number(stdout)).toBeLessThan(100)
})

/** Prints how many bytes of each object that went through a set are left: the least of several rounds. */
const SET_PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { ChurnSet } from ${JSON.stringify(CHURN_SET)}
  const set = new ChurnSet()
  const used = () => getHeapSpaceStatistics().reduce((sum, space) => sum + space.space_used_size, 0)
  const churn = () => {
    const open = []
    for (let i = 0; i < ${REQUESTS}; i++) {
      open.push({ content: Array(20).fill(i) })
      set.add(open.at(-1))
      if (open.length > 10) set.delete(open.shift())
    }
    for (const item of open) set.delete(item)
  }
  const round = () => {
    // Objects that live long, as the set does, are old.
    set.add({})
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    const before = used()
    churn()
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    return (used() - before) / ${REQUESTS}
  }
  churn()
  console.log(Math.min(...Array.from({ length: ${ROUNDS} }, round)))
`

it('nothing of what went through a set lives longer than it was there', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, SET_PROGRAM])
  // An object takes some 230 bytes, of which a Set leaves 150.
  expect(Number(stdout)).toBeLessThan(20)
})
