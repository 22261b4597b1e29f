import { resolve } from 'node:path'
import { applicationFiles, urlOf } from './application-files.ts'
import { certificateScript, certificateTool, makeCertificate } from './certificate.ts'
import { type Choices, DEFAULTS } from './choices.ts'
import { runCommand } from './command.ts'
import { type Flags, parseFlags } from './flags.ts'
import type { Files } from './merge-layers.ts'
import { type PackageManager, packageManager } from './package-manager.ts'
import { askChoices, hasQuestions } from './questions.ts'
import { folderProblem, packageName } from './target-folder.ts'
import { openTerminal } from './terminal.ts'
import { BROWSER_WARNING, helpText, nextCommands } from './texts.ts'
import { Cancelled, UsageError } from './usage-error.ts'
import { writeFiles } from './write-files.ts'

/** Exit code of a program that the user ended with Ctrl-C. */
const CANCELLED = 130

/**
 * Creates the application that the command line describes. Asks for missing choices if there is a terminal. Sets
 * `process.exitCode` if the command fails.
 *
 * @param args Arguments without the program: `['my-app', '--template', 'api']`
 */
export async function main(args: readonly string[]): Promise<void> {
  const manager = packageManager(process.env['npm_config_user_agent'])
  try {
    const flags = parseFlags(args)
    if (flags.help === true) process.stdout.write(helpText(manager))
    else await createApplication(await decide(flags, manager), manager)
  } catch (error) {
    if (error instanceof UsageError) fail(1, error.message)
    else if (error instanceof Cancelled) fail(CANCELLED, '\nCancelled. Nothing was written.')
    else throw error
  }
}

async function decide(flags: Flags, { create }: PackageManager): Promise<Choices> {
  if (flags.folder !== undefined) await checkFolder(flags.folder, create)
  if (flags.yes === true || !hasQuestions(flags)) return { ...DEFAULTS, ...flags }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError(
      `create: cannot ask questions without a terminal. Add --yes for the defaults:\n  ${create} ${flags.folder ?? DEFAULTS.folder} --yes`,
    )
  }
  using terminal = openTerminal(process.stdin, process.stdout)
  return await askChoices(flags, terminal)
}

async function checkFolder(folder: string, create: string): Promise<void> {
  const problem = await folderProblem(resolve(folder))
  if (problem !== undefined) throw new UsageError(`${problem} Choose another one:\n  ${create} another-folder`)
}

async function writeOrRefuse(folder: string, files: Files, { create }: PackageManager): Promise<void> {
  try {
    await writeFiles(folder, files)
  } catch (error) {
    const { message } = error as Error
    throw new UsageError(
      `The folder ${folder} cannot be written: ${message}. Choose another one:\n  ${create} another-folder`,
    )
  }
}

async function createApplication(choices: Choices, manager: PackageManager): Promise<void> {
  const folder = resolve(choices.folder)
  await checkFolder(choices.folder, manager.create)
  const tool = choices.https ? await certificateTool() : undefined
  const surroundings = { name: packageName(folder), manager, certificate: certificateScript(tool) }
  await writeOrRefuse(folder, await applicationFiles(choices, surroundings), manager)
  say(`Wrote the template "${choices.template}" to ${folder}`)

  if (choices.https) {
    const isMade = tool !== undefined && (await makeCertificate(tool, folder))
    if (isMade) say(`Created a certificate for this machine with ${tool.name}`)
    else fail(1, `Could not create a certificate. Install mkcert or openssl, then run:\n  ${manager.run} certificate`)
  }
  if (choices.git && (await runCommand('git rev-parse --git-dir', folder, 'ignore')) !== 0) {
    await runCommand('git init --quiet', folder, 'ignore')
  }
  if (choices.install && (await runCommand(manager.install, folder, 'inherit')) !== 0) {
    fail(1, `The application is written, but "${manager.install}" failed. Run it again in ${folder}`)
  }

  const commands = nextCommands(choices, folder, manager).map((command) => `  ${command}\n`)
  say(`\nType next:\n\n${commands.join('')}\nThe application will be on ${urlOf(choices)}`)
  if (tool?.name === 'openssl') say(`\n${BROWSER_WARNING}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(code: number, message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = code
}
