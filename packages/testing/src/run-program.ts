import { type ExecFileException, execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execFileAsync = promisify(execFile)

/**
 * Runs a program with this Node.js executable. Kills it after `timeoutMs`.
 *
 * @returns `exit code 0`, or the exit code or timeout followed by the program's output
 */
export async function runProgram(file: string, cwd: string, timeoutMs: number): Promise<string> {
  try {
    await execFileAsync(process.execPath, [file], { cwd, timeout: timeoutMs, killSignal: 'SIGKILL' })
    return 'exit code 0'
  } catch (error) {
    const { code, killed, stdout, stderr } = error as ExecFileException & { stdout: string; stderr: string }
    const how = killed === true ? `still running after ${timeoutMs} ms` : `exit code ${code}`
    return `${how}\n${stdout}${stderr}`
  }
}
