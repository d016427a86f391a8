import java.util.List;
// import com.comment.A;
/* @Test void x() {} */
