import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/**
 * Reports whether the command that publishes is a dry run. npm sets an environment variable for its scripts. pnpm does not, so
 * this function reads the command lines of the ancestor processes.
 *
 * @param commands Command lines of the ancestors, nearest first
 * @returns `false` if no ancestor publishes; an unknown command must therefore pass every check
 */
export function isDryRun(
  environment: Readonly<Record<string, string | undefined>>,
  commands: readonly string[],
): boolean {
  if (environment['npm_config_dry_run'] === 'true') return true
  const publish = commands.find((command) => command.split(' ').includes('publish'))
  return publish?.split(' ').includes('--dry-run') === true
}

/** Returns the command lines of this process's ancestors, nearest first. */
export function ancestorCommands(): string[] {
  const commands: string[] = []
  for (let pid = process.ppid; pid > 1;) {
    const found = existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid)
    if (found === undefined) break
    commands.push(found.command)
    pid = found.parent
  }
  return commands
}

interface Ancestor {
  readonly command: string
  readonly parent: number
}

function fromProc(pid: number): Ancestor | undefined {
  try {
    // The name in parentheses can contain spaces. The state and the parent process ID follow it.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return {
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
      parent: Number(parent),
    }
  } catch {
    return undefined
  }
}

function fromPs(pid: number): Ancestor | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const [, parent, command = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    return parent === undefined ? undefined : { command, parent: Number(parent) }
  } catch {
    return undefined
  }
}
