import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TempFolder } from '../temp-folder.ts'
import { containsOutput, matchesOutput, type ConsoleCommand } from './expected-output.ts'

/** Time limit for a command, in milliseconds. */
const COMMAND_TIMEOUT_MS = 120_000
/** Time limit for a program to restart after its file has changed, in milliseconds. */
const RETRY_MS = 60_000

/** Runs the commands of one page in its folder, like a reader's terminals. */
export class PageShell implements AsyncDisposable {
  /** Folder of the last `cd` command. */
  cwd: string
  readonly #folder: TempFolder
  readonly #from: readonly string[]
  readonly #ports: ReadonlyMap<string, number>
  #background: ChildProcess[] = []

  /**
   * @param from Folders of packages that `npm install` links, with their dependencies
   * @param ports Ports that replace the page's ports, so that pages can run at the same time
   */
  constructor(folder: TempFolder, from: readonly string[], ports: ReadonlyMap<string, number>) {
    this.#folder = folder
    this.#from = from
    this.#ports = ports
    this.cwd = folder.path
  }

  /** Writes a file of the page. */
  async write(name: string, code: string): Promise<void> {
    const path = join(this.cwd, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, this.#withPorts(code))
  }

  /**
   * Runs a command until it ends, and compares its output if the page shows it.
   *
   * @throws {Error} if the command fails or its output differs
   */
  async run({ command, output }: ConsoleCommand): Promise<void> {
    const parts = command.split(' && ')
    if (parts.some((part) => installedPackages(part) !== undefined)) {
      for (const part of parts) {
        const packages = installedPackages(part)
        if (packages === undefined) await this.outputOf(this.#withPorts(part))
        else packages.forEach((name) => this.#link(name))
      }
      return
    }
    const deadline = Date.now() + RETRY_MS
    for (;;) {
      const result = await this.#execute(this.#withPorts(command))
      const isRight =
        result.code === 0 && (output.length === 0 || matchesOutput(this.#withoutPorts(result.output), output))
      if (isRight) return
      // While `node --watch` is restarting a server, the server is not listening yet or is still running the old code.
      if (!command.startsWith('curl') || Date.now() > deadline) {
        throw new Error(
          `$ ${command}\nexit code ${result.code}\n${this.#withoutPorts(result.output)}\nexpected:\n${output.join('\n')}`,
        )
      }
      await sleep(100)
    }
  }

  /**
   * Returns the output of a command.
   *
   * @throws {Error} if the command fails
   */
  async outputOf(command: string): Promise<string> {
    const { code, output } = await this.#execute(command)
    if (code !== 0) throw new Error(`$ ${command}\nexit code ${code}\n${output}`)
    return output
  }

  /**
   * Starts a command that keeps running, and waits until it has printed the output shown on the page. First ends the commands
   * that an earlier call started, because a reader would stop them before starting the next one.
   */
  async start(commands: readonly ConsoleCommand[]): Promise<void> {
    await this.#endBackground()
    for (const { command, output } of commands) {
      const child = spawn('bash', ['-c', `exec ${this.#withPorts(command)}`], {
        cwd: this.cwd,
        env: this.#env(),
        detached: true,
      })
      this.#background.push(child)
      let printed = ''
      child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
      child.stderr.on('data', (data: Buffer) => (printed += data.toString()))
      const deadline = Date.now() + RETRY_MS
      while (!containsOutput(this.#withoutPorts(printed), output)) {
        if (child.exitCode !== null || Date.now() > deadline) {
          throw new Error(`$ ${command}\nexit code ${child.exitCode}\n${printed}\nexpected:\n${output.join('\n')}`)
        }
        await sleep(20)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endBackground()
  }

  async #endBackground(): Promise<void> {
    for (const child of this.#background.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
      const ended = once(child, 'exit')
      process.kill(-child.pid, 'SIGKILL')
      await ended
    }
  }

  async #execute(command: string): Promise<{ code: number | null; output: string }> {
    const cwdFile = this.#folder.join('.cwd')
    const child = spawn('bash', ['-c', `${command}\ncode=$?; pwd > "$CWD_FILE"; exit $code`], {
      cwd: this.cwd,
      env: { ...this.#env(), CWD_FILE: cwdFile },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    child.stderr.on('data', (data: Buffer) => (output += data.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    if (existsSync(cwdFile)) this.cwd = (await readFile(cwdFile, 'utf8')).trim()
    return { code, output }
  }

  /** Links a package of this workspace, as `npm install` would install it from the registry. */
  #link(name: string): void {
    const target = this.#find(name)
    const link = join(this.cwd, 'node_modules', name)
    if (existsSync(link)) return
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
    const { bin = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
      bin?: Record<string, string>
    }
    mkdirSync(join(this.cwd, 'node_modules/.bin'), { recursive: true })
    for (const [command, file] of Object.entries(typeof bin === 'string' ? { [name]: bin } : bin)) {
      const path = join(this.cwd, 'node_modules/.bin', command)
      if (!existsSync(path)) symlinkSync(join(target, file), path)
    }
  }

  /** Returns a package's folder: one of the given folders, or the folder of one of their dependencies. */
  #find(name: string): string {
    for (const folder of this.#from) {
      const target = join(folder, 'node_modules', name)
      if (existsSync(target)) return target
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string }
      if (manifest.name === name) return folder
    }
    throw new Error(`${this.#from[0]}/package.json must have the dependency ${name}`)
  }

  #env(): NodeJS.ProcessEnv {
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    // Colors and the test runner's options would change the output that a reader sees.
    const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...env } = process.env
    return { ...env, PATH: path, NO_COLOR: '1', CURL_HOME: this.#folder.path }
  }

  #withPorts(text: string): string {
    return replaceWords(
      text,
      Array.from(this.#ports, ([shown, used]) => [shown, String(used)]),
    )
  }

  #withoutPorts(text: string): string {
    return replaceWords(
      text,
      Array.from(this.#ports, ([shown, used]) => [String(used), shown]),
    )
  }
}

function replaceWords(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((result, [from, to]) => result.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to), text)
}

/** Returns the packages that an `npm install` command names, or `undefined` for any other command. */
function installedPackages(command: string): string[] | undefined {
  const words = command.split(/\s+/)
  if (words[0] !== 'npm' || (words[1] !== 'install' && words[1] !== 'i')) return undefined
  return words.slice(2).filter((word) => !word.startsWith('-'))
}
