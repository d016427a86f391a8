import scala.util.Try
import java.io.File
// import comment.A
val text = """
import raw.A
"""
