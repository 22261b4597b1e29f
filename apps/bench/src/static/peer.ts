import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Clock ticks a second in `/proc/<pid>/stat`; 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** A server of the files of one directory, in a process of its own on the first processor. */
export class Peer implements AsyncDisposable {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.port = port
  }

  /** @param name `nginx`, or a file in `servers/` without its ending: a program that takes the directory and sends its port */
  static async start(name: string, directory: string, scratch: string): Promise<Peer> {
    if (name === 'nginx') return Peer.#nginx(directory, scratch)
    const program = fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))
    const child = fork(program, [directory], { stdio: 'inherit' })
    await onFirstProcessor(child)
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new Peer(child, message.port)
  }

  static async #nginx(directory: string, scratch: string): Promise<Peer> {
    const port = await freePort()
    const file = join(scratch, 'nginx.conf')
    await writeFile(file, nginxConfiguration(directory, scratch, port))
    const child = spawn('nginx', ['-c', file, '-e', join(scratch, 'error.log')], { stdio: 'inherit' })
    const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error))
    failed.catch(() => {})
    await Promise.race([failed, onFirstProcessor(child)])
    for (;;) {
      const answer = await Promise.race([failed, fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)])
      if (answer !== undefined) break
      await delay(20)
    }
    return new Peer(child, port)
  }

  /** CPU time used so far, in seconds, of all threads and child processes. */
  async cpuSeconds(): Promise<number> {
    const pid = this.#process.pid ?? 0
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    let ticks = 0
    for (const id of [pid, ...children.split(' ').filter(Boolean)]) {
      const stat = await readFile(`/proc/${id}/stat`, 'utf8')
      // The second field, the name, may hold spaces; it ends with the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    }
    return ticks / TICKS_PER_SECOND
  }

  /** Resident memory in MiB and open descriptors, now. */
  async usage(): Promise<{ readonly rssMib: number; readonly descriptors: number }> {
    const pid = this.#process.pid ?? 0
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const descriptors = await readdir(`/proc/${pid}/fd`)
    return { rssMib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024, descriptors: descriptors.length }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }
}

/** The processor that servers run on; the load has the other one. */
async function onFirstProcessor(child: ChildProcess): Promise<void> {
  await once(spawn('taskset', ['-a', '-c', '-p', '0', String(child.pid)], { stdio: 'ignore' }), 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function nginxConfiguration(directory: string, scratch: string, port: number): string {
  return `
daemon off; worker_processes 1; pid ${scratch}/nginx.pid; user root;
events { worker_connections 4096; }
http {
  include /etc/nginx/mime.types; default_type application/octet-stream;
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  client_body_temp_path ${scratch}/body; proxy_temp_path ${scratch}/proxy; fastcgi_temp_path ${scratch}/fastcgi;
  uwsgi_temp_path ${scratch}/uwsgi; scgi_temp_path ${scratch}/scgi;
  server { listen 127.0.0.1:${port}; root ${directory}; gzip_static off; }
}
`
}
