// import Comment
let text = """
import Raw
"""
