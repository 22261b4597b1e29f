import { parseArgs } from 'node:util'
import { type Choices, isTemplate, TEMPLATES } from './choices.ts'
import { UsageError } from './usage-error.ts'

/** Choices made on the command line. The program asks for the other choices, or uses their defaults. */
export interface Flags extends Partial<Choices> {
  /** Uses the default for every other choice. */
  readonly yes?: boolean
  readonly help?: boolean
}

const SWITCHES = new Set(['https', 'docker', 'systemd', 'install', 'git', 'yes', 'help'])
const SHORT: Readonly<Record<string, string>> = { y: 'yes', h: 'help' }
const KNOWN = '--template <name>, --https, --docker, --systemd, --no-install, --no-git, --yes and --help'

/**
 * Parses the command line: `my-app --template api --no-git`.
 *
 * @throws {UsageError} for an unknown flag or template, or a second folder
 */
export function parseFlags(args: readonly string[]): Flags {
  const options = { template: { type: 'string' } } as const
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true })
  const flags: Record<string, string | boolean> = {}
  for (const token of tokens) {
    if (token.kind === 'positional') flags['folder'] = folderOf(token.value, flags['folder'])
    else if (token.kind === 'option' && token.name === 'template') flags['template'] = templateOf(token.value)
    else if (token.kind === 'option') Object.assign(flags, switchOf(token.name, token.rawName, token.value))
  }
  return flags
}

function folderOf(folder: string, earlier: string | boolean | undefined): string {
  if (earlier === undefined && folder !== '') return folder
  throw new UsageError(`Give one folder, got "${earlier ?? ''}" and "${folder}". Quote a name that contains spaces.`)
}

function templateOf(name: string | undefined): string {
  if (name !== undefined && isTemplate(name)) return name
  const got = name === undefined || name.startsWith('-') ? 'no name' : `"${name}"`
  throw new UsageError(`--template must be ${Object.keys(TEMPLATES).join(', ')}, got ${got}. Type --template api`)
}

function switchOf(name: string, rawName: string, value: string | undefined): Record<string, boolean> {
  const isNegative = name.startsWith('no-')
  const known = isNegative ? name.slice('no-'.length) : (SHORT[name] ?? name)
  if (!SWITCHES.has(known)) throw new UsageError(`${rawName} is not a flag. The flags are ${KNOWN}.`)
  if (value !== undefined) throw new UsageError(`${rawName} must not have a value, got "${value}". Type ${rawName}`)
  return { [known]: !isNegative }
}
