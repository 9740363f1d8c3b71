internal import Glibc

/// Why `replaceSmallFile` could not put a file there, as far as that shows without doing it; nil: it could.
///
/// What is there stays as it is: a file of another name is made in the folder and taken away again, and what must not
/// be a folder is looked at with lstat(2).
public func replacementProblem(_ path: String) -> FileError? {
  let slash = path.lastIndex(of: "/")
  let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  if let problem = OutputFolder(folder).problem() { return problem }
  var status = stat()
  if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
    return FileError(code: EISDIR, action: "\(path) cannot be written")
  }
  // One that a power cut left behind, perhaps of another user. A pipe of that name must not be waited for.
  let descriptor = open("\(path).new", O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else {
    return errno == ENOENT ? nil : FileError(code: errno, action: "\(path).new cannot be written")
  }
  close(descriptor)
  return nil
}
