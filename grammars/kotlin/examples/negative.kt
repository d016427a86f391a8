import kotlin.math.max
import java.util.UUID
// import comment.A
val text = """
import raw.A
fun main() {}
"""
