import { tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import { Program } from '../workers/run-program.ts'
import { BINARY, dial, TEXT } from './send-header.ts'

const REQUEST = 'GET /peer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function ask(target: number | string, start: string | Buffer): Promise<string> {
  const socket = await dial(target)
  socket.write(start)
  socket.write(REQUEST)
  return String(Buffer.concat(await socket.toArray()))
}

it('reads PROXY headers in workers, on a port and on a Unix socket', async () => {
  await using folder = await tempFolder()
  const path = folder.join('x.sock')
  const program = new Program({
    listen: [
      { workers: 2, proxyProtocol: { from: ['127.0.0.1'] } },
      { workers: 2, path, proxyProtocol: { from: ['unix'] } },
    ],
  })
  const [url = ''] = await program.urls()
  for (const target of [Number(new URL(url).port), path]) {
    expect(await ask(target, TEXT)).toMatch(/\r\n\r\n203\.0\.113\.9$/)
    expect(await ask(target, BINARY)).toMatch(/\r\n\r\n2001:db8::9$/)
    expect(await ask(target, '')).toBe('')
  }
  program.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
