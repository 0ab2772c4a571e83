/** Handles the error of reading a file: returns null if the file does not exist, and rethrows every other error. */
export function nullIfFileMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
