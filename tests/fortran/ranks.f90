! Under mpirun: communicators of module mpi, an integer, and of module mpi_f08 give the answer of one process.
program ranks
    use, intrinsic :: iso_fortran_env, only: error_unit, real64
    use mpi_f08
    use psg
    implicit none
    integer :: level

    call MPI_Init_thread(MPI_THREAD_MULTIPLE, level)
    call together(MPI_COMM_WORLD, 6, 5, 7)
    call together(MPI_COMM_WORLD, 4, 5, 2) ! three processes: one has no plane
    call together(MPI_COMM_SELF, 4, 6, 3)
    call MPI_Finalize()
    print '(a)', 'ok'

contains

    subroutine together(comm, nx, ny, nz)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: nx, ny, nz
        real(real64), parameter :: pi = acos(-1.0_real64)
        real(real64), allocatable :: f(:, :, :), u(:, :, :)
        type(psg_grid) :: grid
        type(psg_plan) :: plan
        type(psg_statistics) :: found
        integer :: lo(3), n(3), j, k, processes, planes

        call MPI_Comm_size(comm, processes)
        call psg_grid_init(grid, [nx, ny, nz], [1.0_real64, 1.0_real64, 1.0_real64])
        call plan%create(grid, comm=comm%mpi_val)
        call plan%local_box(lo, n)
        call MPI_Allreduce(n(3), planes, 1, MPI_INTEGER, MPI_SUM, comm)
        if (planes /= nz .or. any(n(:2) /= [nx, ny])) call stop_all('the boxes')
        allocate (f(n(1), n(2), n(3)), u(n(1), n(2), n(3)))
        do k = 1, n(3)
            do j = 1, n(2)
                f(:, j, k) = cos(2 * pi * (real(j, real64) / ny + real(lo(3) + k, real64) / nz)) + 2
            end do
        end do
        call plan%solve(f, u)
        if (.not. all(abs(u + (f - 2) / (8 * pi ** 2)) <= 1e-15_real64)) call stop_all('u')
        call plan%statistics(found)
        if (found%ranks /= processes .or. .not. abs(found%mean - 2) <= 1e-14_real64) call stop_all('statistics')
        call plan%destroy()
    end subroutine together

    subroutine stop_all(words)
        character(*), intent(in) :: words
        write (error_unit, '(2a)') words, ' of several processes'
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine stop_all

end program ranks
