import { resolve } from 'node:path'
import { type Choices, DEFAULTS, isTemplate, type Template, TEMPLATES } from './choices.ts'
import type { Flags } from './flags.ts'
import { folderProblem } from './target-folder.ts'
import type { Terminal } from './terminal.ts'

type Deployment = Pick<Choices, 'docker' | 'systemd'>

const DEPLOYMENTS: Readonly<Record<string, Deployment>> = {
  none: { docker: false, systemd: false },
  docker: { docker: true, systemd: false },
  systemd: { docker: false, systemd: true },
  both: { docker: true, systemd: true },
}

/** Reports whether the flags leave any question open. */
export function hasQuestions(flags: Flags): boolean {
  return [flags.folder, flags.template, flags.https, flags.docker ?? flags.systemd].includes(undefined)
}

/** Asks at most four questions, about the choices that the flags do not make. */
export async function askChoices(flags: Flags, terminal: Terminal): Promise<Choices> {
  const folder = flags.folder ?? (await askFolder(terminal))
  const template = flags.template ?? (await askTemplate(terminal))
  const https = flags.https ?? (await askHttps(terminal))
  const isAnswered = (flags.docker ?? flags.systemd) !== undefined
  const deployment = isAnswered ? {} : await askDeployment(terminal)
  return { ...DEFAULTS, ...flags, folder, template, https, ...deployment }
}

async function askFolder(terminal: Terminal): Promise<string> {
  for (;;) {
    const folder = (await terminal.ask(`Folder (${DEFAULTS.folder}): `)) || DEFAULTS.folder
    const problem = await folderProblem(resolve(folder))
    if (problem === undefined) return folder
    terminal.say(`${problem} Type another folder.`)
  }
}

function askTemplate(terminal: Terminal): Promise<Template> {
  const names = Object.keys(TEMPLATES)
  for (const [at, [name, description]] of Object.entries(TEMPLATES).entries()) {
    terminal.say(`  ${at + 1}  ${name.padEnd('minimal'.length)}  ${description}`)
  }
  return askUntil(
    terminal,
    `Template (${DEFAULTS.template}): `,
    `Type a number from 1 to ${names.length}, or a name.`,
    (line) => {
      const name = names[Number(line) - 1] ?? (line || DEFAULTS.template)
      return isTemplate(name) ? name : undefined
    },
  )
}

function askHttps(terminal: Terminal): Promise<boolean> {
  const answers: Readonly<Record<string, boolean>> = { '': false, n: false, no: false, y: true, yes: true }
  return askUntil(terminal, 'HTTPS on this machine? (y/N): ', 'Type y or n.', (line) => answers[line])
}

function askDeployment(terminal: Terminal): Promise<Deployment> {
  const question = 'Deployment files: none, docker, systemd or both? (none): '
  return askUntil(terminal, question, 'Type none, docker, systemd or both.', (line) => DEPLOYMENTS[line || 'none'])
}

/** Repeats a question, with advice, until `parse` returns a value. Letter case does not matter. */
async function askUntil<T>(
  terminal: Terminal,
  question: string,
  advice: string,
  parse: (line: string) => T | undefined,
): Promise<T> {
  for (;;) {
    const value = parse((await terminal.ask(question)).toLowerCase())
    if (value !== undefined) return value
    terminal.say(advice)
  }
}
