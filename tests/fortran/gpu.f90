! Arrays on a GPU by c_ptr, as within `host_data use_device`: nothing is copied, and the caller's stream orders the solve.
program gpu
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: real64
    use psg
    implicit none
    integer, parameter :: nx = 8, ny = 10, nz = 12
    integer(c_size_t), parameter :: bytes = 2 * 8_c_size_t * nx * ny * nz
    integer(c_int), parameter :: to_gpu = 1, from_gpu = 2, non_blocking = 1
    real(real64), parameter :: pi = acos(-1.0_real64)
    real(real64), target :: f(nx, ny, nz, 2), u(nx, ny, nz, 2)
    type(c_ptr) :: f_d, u_d, stream
    type(psg_grid) :: grid
    type(psg_options) :: options
    type(psg_plan) :: plan
    type(psg_statistics) :: found
    integer :: i, solves

    interface
        function cudaMalloc(memory, size) bind(c, name='cudaMalloc') result(error)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), intent(out) :: memory
            integer(c_size_t), value :: size
            integer(c_int) :: error
        end function cudaMalloc

        function cudaStreamCreateWithFlags(stream, flags) bind(c, name='cudaStreamCreateWithFlags') result(error)
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: stream
            integer(c_int), value :: flags
            integer(c_int) :: error
        end function cudaStreamCreateWithFlags

        function cudaMemcpyAsync(to, from, size, kind, stream) bind(c, name='cudaMemcpyAsync') result(error)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: to, from
            integer(c_size_t), value :: size
            integer(c_int), value :: kind
            type(c_ptr), value :: stream
            integer(c_int) :: error
        end function cudaMemcpyAsync

        function cudaStreamSynchronize(stream) bind(c, name='cudaStreamSynchronize') result(error)
            import :: c_int, c_ptr
            type(c_ptr), value :: stream
            integer(c_int) :: error
        end function cudaStreamSynchronize
    end interface

    if (cudaMalloc(f_d, bytes) /= 0) stop 77
    call check(cudaMalloc(u_d, bytes) == 0)
    call check(cudaStreamCreateWithFlags(stream, non_blocking) == 0)
    do i = 1, nx
        f(i, :, :, 1) = sin(2 * pi * i / nx)
        f(i, :, :, 2) = 3 * cos(2 * pi * i / nx)
    end do
    call psg_grid_init(grid, [nx, ny, nz], [1.0_real64, 1.0_real64, 1.0_real64])
    call psg_options_init(options)
    call psg_options_set(options, 'gpus', '1')
    call plan%create(grid, options)
    do solves = 1, 2
        call check(cudaMemcpyAsync(f_d, c_loc(f), bytes, to_gpu, stream) == 0)
        if (solves == 1) then
            call plan%solve(f_d, u_d, stream)
        else
            call plan%solve_many(2, f_d, u_d, stream)
        end if
        call plan%statistics(found)
        call check(found%copied_bytes == 0 .and. found%solves == solves)
        call check(cudaMemcpyAsync(c_loc(u), u_d, bytes, from_gpu, stream) == 0)
        call check(cudaStreamSynchronize(stream) == 0)
        call check(all(abs(u(:, :, :, :solves) + f(:, :, :, :solves) / (2 * pi) ** 2) <= 1e-14_real64))
    end do
    call plan%destroy()
    print '(a)', 'ok'

contains

    subroutine check(good)
        logical, intent(in) :: good
        if (.not. good) error stop 1
    end subroutine check

end program gpu
