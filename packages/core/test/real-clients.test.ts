import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as log from '@fw/log'
import { freePort, testCertificate } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpError, Server } from '../src/index.ts'

/** Returns a program's standard output. @throws if it fails or takes longer than 150 seconds */
async function run(command: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { timeout: 150_000, maxBuffer: 64 * 1024 * 1024 })).stdout
}

const MIB = 1024 * 1024
const server = new Server({ limits: { maxBodyBytes: 8 * MIB } })
let origin = ''
let secure = ''

beforeAll(async () => {
  log.setSinks([])
  const { key, cert } = await testCertificate()
  server
    .router()
    .get('/', () => 'hello')
    .post('/unauthorized', () => {
      throw new HttpError(401)
    })
    .get('/large', () => Buffer.alloc(3 * MIB, 'x'))
    .post('/', async (ctx) => {
      const { length } = await ctx.bytes()
      const framing = ctx.headers.has('transfer-encoding') ? 'chunked' : 'length'
      return `${length} by ${framing}, expect ${ctx.headers.get('expect') ?? 'nothing'}`
    })
  const clear = await server.listen({ port: 0, host: '127.0.0.1' })
  const tls = await server.listen({ port: 0, host: '127.0.0.1', tls: { key, cert } })
  origin = clear.url.href
  secure = tls.url.href
})
afterAll(() => server.close({ drainMs: 0 }))

describe('curl', () => {
  it('receives a page over every protocol, with and without TLS', async () => {
    expect(await run('curl', '-s', '--http1.1', origin)).toBe('hello')
    expect(await run('curl', '-s', '--http1.0', origin)).toBe('hello')
    expect(await run('curl', '-s', '--http2-prior-knowledge', origin)).toBe('hello')
    expect(await run('curl', '-sk', '--http1.1', '-w', ' %{http_version}', secure)).toBe('hello 1.1')
    expect(await run('curl', '-sk', '-w', ' %{http_version}', secure)).toBe('hello 2')
  })

  it('receives only the head with -I', async () => {
    expect(await run('curl', '-sI', origin)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: 5\r\n[^]*\r\n\r\n$/)
  })

  it('posts a body with a length, in chunks and after 100 Continue', async () => {
    expect(await run('curl', '-s', '-d', 'abc', origin)).toBe('3 by length, expect nothing')
    const chunked = ['-H', 'Transfer-Encoding: chunked', '-d', 'abc']
    expect(await run('curl', '-s', ...chunked, origin)).toBe('3 by chunked, expect nothing')
    const large = await run('bash', '-c', `head -c ${2 * MIB} /dev/zero | curl -sv --data-binary @- ${origin} 2>&1`)
    expect(large).toContain('HTTP/1.1 100 Continue')
    expect(large).toContain(`${2 * MIB} by length, expect 100-continue`)
  })

  it('reuses its connection for several requests', async () => {
    const output = await run('curl', '-sv', '--stderr', '-', origin, origin, `${origin}large`, '-o', '/dev/null')
    expect(output.match(/Re-using existing connection/g)).toHaveLength(2)
  })
})

it('serves a page and a large file to wget', async () => {
  expect(await run('wget', '-qO-', origin)).toBe('hello')
  expect((await run('wget', '-qO-', `${origin}large`)).length).toBe(3 * MIB)
})

it("serves Python's http.client on one connection, including a chunked body", async () => {
  const program = `
import http.client, sys
from urllib.parse import urlparse
connection = http.client.HTTPConnection(urlparse(sys.argv[1]).netloc)
for _ in range(2):
    connection.request('GET', '/')
    print(connection.getresponse().read().decode())
connection.request('HEAD', '/')
response = connection.getresponse(); print(response.status, response.getheader('content-length'), response.read())
connection.request('POST', '/', body=iter([b'abc', b'de']), encode_chunked=True, headers={'Transfer-Encoding': 'chunked'})
print(connection.getresponse().read().decode())
`
  expect(await run('python3', '-c', program, origin)).toBe("hello\nhello\n200 5 b''\n5 by chunked, expect nothing\n")
})

describe('an early response to a body of 16 MiB', () => {
  const program = `
import http.client, ssl, sys
from urllib.parse import urlparse
url = urlparse(sys.argv[1])
kind = http.client.HTTPSConnection if url.scheme == 'https' else http.client.HTTPConnection
options = {'context': ssl._create_unverified_context()} if url.scheme == 'https' else {}
connection = kind(url.netloc, timeout=60, **options)
connection.request('POST', '/unauthorized', body=b'x' * (16 << 20))
print(connection.getresponse().status)
`

  it.each(['cleartext', 'TLS'])("reaches Python's http.client over %s", async (transport) => {
    expect(await run('python3', '-c', program, transport === 'TLS' ? secure : origin)).toBe('401\n')
  })

  it.each(['cleartext', 'TLS'])('passes through nginx, which connects over %s', async (transport) => {
    const folder = await mkdtemp(join(tmpdir(), 'fw-nginx-'))
    // If nginx runs as root, its worker process reads bodies as another user.
    await chmod(folder, 0o755)
    const port = await freePort()
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
    const config = `daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
      http { access_log off; client_max_body_size 0; ${paths.join(' ')}
        server { listen 127.0.0.1:${port}; location / { proxy_pass ${transport === 'TLS' ? secure : origin}; } } }`
    await writeFile(`${folder}/nginx.conf`, config)
    const nginx = spawn('nginx', ['-c', `${folder}/nginx.conf`], { stdio: 'ignore' })
    try {
      await expect.poll(() => run('curl', '-s', `http://127.0.0.1:${port}/`).catch(() => '')).toBe('hello')
      expect(await run('python3', '-c', program, `http://127.0.0.1:${port}/`)).toBe('401\n')
    } finally {
      nginx.kill()
      await once(nginx, 'exit')
      await rm(folder, { recursive: true })
    }
  })
})

it.each([
  ['with keep-alive', ['-k']],
  ['with a connection per request', []],
])('serves 500 requests from ab without a failure, %s', async (_name, options) => {
  const output = await run('ab', '-q', ...options, '-n', '500', '-c', '20', origin)
  expect(output).toMatch(/Complete requests:\s+500\nFailed requests:\s+0\n/)
  expect(output).not.toContain('Non-2xx')
})

it('streams in both directions with fetch() in Node.js', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('abc'))
      controller.close()
    },
  })
  const response = await fetch(origin, { method: 'POST', body, duplex: 'half' })
  expect(await response.text()).toBe('3 by chunked, expect nothing')
  expect((await (await fetch(`${origin}large`)).arrayBuffer()).byteLength).toBe(3 * MIB)
})
