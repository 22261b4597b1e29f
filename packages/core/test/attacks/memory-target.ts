/** Runs the server that clients attack by not reading. The parent process sets its heap limit. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { Server } from '../../src/index.ts'
import { BodyCount, reportToParent } from './target-state.ts'
import { UNREAD_KINDS } from './unread-streams.ts'

const BODY_BYTES = 2 * 2 ** 20
const PARTS = 8
/** Delay in milliseconds before a response, so that all handlers on a connection run before it. */
const WAIT_MS = 50

log.setSinks([])
const server = new Server()
const router = server.router()
const bodyCount = new BodyCount()
const large = Buffer.alloc(BODY_BYTES, 'x')

function bytes(): Buffer {
  bodyCount.add()
  return Buffer.alloc(BODY_BYTES, 'x')
}

function text(): string {
  bodyCount.add()
  return 'é'.repeat(BODY_BYTES / 2)
}

async function* parts(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < PARTS; i++) {
    await sleep(1)
    yield bytes()
  }
}

const bodies: Readonly<Record<(typeof UNREAD_KINDS)[number], () => unknown>> = {
  shared: () => large,
  'sync-bytes': bytes,
  'sync-text': text,
  'async-bytes': () => sleep(WAIT_MS).then(bytes),
  'async-text': () => sleep(WAIT_MS).then(text),
  'async-json': () => sleep(WAIT_MS).then(() => ({ text: text() })),
  stream: () => parts(),
}
router.get('/', () => 'hello')
for (const kind of UNREAD_KINDS) router.get(`/${kind}`, bodies[kind])
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
reportToParent(port, () => server.stats().buffered, bodyCount)
